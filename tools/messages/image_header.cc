#include "tools/messages/image_header.h"

#include <cstddef>

namespace toolway::tools::messages {
namespace {

using namespace std::string_view_literals;
using Header = std::optional<ImageHeader>;

/// Numbers at places of an image; what is past its end is 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t at(std::size_t place) const {
    return place < bytes_.size() ? static_cast<unsigned char>(bytes_[place]) : 0;
  }
  /// Its first byte is the highest one.
  std::uint32_t big(std::size_t place, std::size_t count) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < count; ++i) number = number << 8U | at(place + i);
    return number;
  }
  std::uint32_t little(std::size_t place, std::size_t count) const {
    std::uint32_t number = 0;
    for (std::size_t i = count; i-- > 0;) number = number << 8U | at(place + i);
    return number;
  }
  bool has(std::size_t place, std::string_view text) const {
    return place < bytes_.size() && bytes_.substr(place).starts_with(text);
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  const std::string_view bytes_;
};

/// ISO/IEC 15948, 11.2.1: the first chunk says it.
Header png(const Bytes& image) {
  if (!image.has(12, "IHDR") || image.size() < 24) return std::nullopt;
  return ImageHeader{"image/png", image.big(16, 4), image.big(20, 4)};
}

/// GIF89a, 18: of the screen, which its first image fills or not.
Header gif(const Bytes& image) {
  if (image.size() < 10) return std::nullopt;
  return ImageHeader{"image/gif", image.little(6, 2), image.little(8, 2)};
}

/// RFC 9649, 2.5 to 2.7.
Header webp(const Bytes& image) {
  constexpr std::uint32_t kFourteenBits = 0x3FFF;
  constexpr std::string_view kType = "image/webp";
  if (image.has(12, "VP8 ") && image.has(23, "\x9d\x01\x2a") && image.size() >= 30)
    return ImageHeader{kType, image.little(26, 2) & kFourteenBits,
                       image.little(28, 2) & kFourteenBits};
  if (image.has(12, "VP8L") && image.has(20, "\x2f") && image.size() >= 25) {
    const auto bits = image.little(21, 4);
    return ImageHeader{kType, (bits & kFourteenBits) + 1, ((bits >> 14U) & kFourteenBits) + 1};
  }
  if (image.has(12, "VP8X") && image.size() >= 30)
    return ImageHeader{kType, image.little(24, 3) + 1, image.little(27, 3) + 1};
  return std::nullopt;
}

/// A frame's header: ITU-T T.81, table B.1. Three of the sixteen markers are something else.
bool begins_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// ITU-T T.81, B.1.1 and B.2.2: segments, each with its length, until a frame says it.
Header jpeg(const Bytes& image) {
  for (std::size_t at = 2; at + 4 <= image.size();) {
    if (image.at(at) != 0xFF) return std::nullopt;
    const auto marker = image.at(at + 1);
    if (marker == 0xFF) {  // a byte to fill up
      ++at;
      continue;
    }
    const bool alone = marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7);
    if (alone) {
      at += 2;
      continue;
    }
    if (begins_frame(marker) && at + 9 > image.size()) return std::nullopt;
    if (begins_frame(marker))
      return ImageHeader{"image/jpeg", image.big(at + 7, 2), image.big(at + 5, 2)};
    const auto length = image.big(at + 2, 2);
    const bool scan = marker == 0xD9 || marker == 0xDA;
    if (scan || length < 2) return std::nullopt;
    at += 2 + length;
  }
  return std::nullopt;
}

Header header_of(const Bytes& image) {
  if (image.has(0, "\x89PNG\r\n\x1a\n")) return png(image);
  if (image.has(0, "GIF87a") || image.has(0, "GIF89a")) return gif(image);
  if (image.has(0, "RIFF") && image.has(8, "WEBP")) return webp(image);
  if (image.has(0, "\xff\xd8\xff")) return jpeg(image);
  return std::nullopt;
}

}  // namespace

std::optional<ImageHeader> read_image_header(std::string_view bytes) {
  auto header = header_of(Bytes(bytes));
  if (header && (header->width == 0 || header->height == 0)) header.reset();
  return header;
}

}  // namespace toolway::tools::messages
