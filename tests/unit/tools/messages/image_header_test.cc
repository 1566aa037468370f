#include "tools/messages/image_header.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/tools/messages/blocks.h"

namespace toolway::tools::messages {
namespace {

using namespace std::string_literals;

const std::string kGif = "GIF89a\x40\x01\xf0\0\xf7"s;
const std::string kLossy = "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\x30\x01\0\x9d\x01\x2a\x40\xc1\xf0\x40"s;
const std::string kLossless = "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\0"s;
const std::string kExtended = "RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0"s;
/// A segment of EXIF, a byte to fill up, and a frame of 320 x 240.
const std::string kJpeg =
    "\xff\xd8\xff\xe1\0\x08"s + "Exif\0\0"s + "\xff\xff\xc2\0\x11\x08\0\xf0\x01\x40\x03"s;

const std::string kImages[] = {test::png(320, 240), kGif, kLossy, kLossless, kExtended, kJpeg};

TEST(ImageHeader, SaysWhatItIsAndHowLarge) {
  const std::string_view types[] = {"image/png",  "image/gif",  "image/webp",
                                    "image/webp", "image/webp", "image/jpeg"};
  for (std::size_t i = 0; i < std::size(kImages); ++i) {
    const auto header = read_image_header(kImages[i]);
    ASSERT_TRUE(header) << i;
    EXPECT_EQ(header->media_type, types[i]);
    EXPECT_EQ(header->width, 320u) << i;
    EXPECT_EQ(header->height, 240u) << i;
  }
}

TEST(ImageHeader, OfWhatIsCutOffItIsTheSameOrNone) {
  for (const auto& image : kImages)
    for (std::size_t size = 0; size < image.size(); ++size) {
      // What is copied ends where it ends: a reader that goes further is found by a sanitizer.
      const std::string cut(image, 0, size);
      const auto header = read_image_header(cut);
      if (!header) continue;
      EXPECT_EQ(header->width, 320u) << size;
      EXPECT_EQ(header->height, 240u) << size;
    }
}

TEST(ImageHeader, OtherBytesAreNone) {
  for (const auto& bytes :
       {""s, "GIF90a\1\0\1\0"s, "BM\0\0"s, "%PDF-1.7"s, "<svg/>"s, test::png(0, 5), test::png(5, 0),
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\1\0\0\0\1"s, "\xff\xd8\xff\xe0\0\1\xff\xc0"s,
        "\xff\xd8\xff\xda\0\x08\xff\xc0\0\x11\x08\0\1\0\1"s, "\xff\xd8\xff\xe0\xff\xff"s,
        "RIFF\0\0\0\0WEBPVP8?"s})
    EXPECT_FALSE(read_image_header(bytes)) << bytes;
}

TEST(ImageHeader, TakesAnyBytes) {
  std::mt19937 random(11);
  unsigned read = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string image = kImages[random() % std::size(kImages)];
    for (auto changes = random() % 4; changes > 0; --changes)
      image[random() % image.size()] = static_cast<char>(random());
    image.resize(random() % 3 == 0 ? random() % (image.size() + 1) : image.size());
    const auto header = read_image_header(image);
    if (!header) continue;
    ++read;
    EXPECT_GT(header->width, 0u);
    EXPECT_GT(header->height, 0u);
  }
  EXPECT_GT(read, 10'000u);
}

}  // namespace
}  // namespace toolway::tools::messages
