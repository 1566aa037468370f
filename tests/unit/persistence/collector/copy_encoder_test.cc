#include "persistence/collector/copy_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace toolway::persistence::collector {
namespace {

TEST(CopyEncoder, WritesNetworkOrderWithLengths) {
  std::string bytes;
  CopyEncoder out(bytes);
  out.begin_row(3);
  out.int4(-2);
  out.null();
  out.text("ab");
  EXPECT_EQ(bytes, std::string("\0\3\0\0\0\4\xff\xff\xff\xfe\xff\xff\xff\xff\0\0\0\2ab", 20));
}

TEST(CopyEncoder, CountsTimeFromTheYear2000) {
  std::string bytes;
  CopyEncoder(bytes).time(946'684'800'000'001);
  EXPECT_EQ(bytes, std::string("\0\0\0\x8\0\0\0\0\0\0\0\1", 12));
}

TEST(CopyEncoder, ReplacesTheOneCharacterThatTextCannotHold) {
  std::string bytes;
  CopyEncoder(bytes).text(std::string_view("a\0b", 3));
  EXPECT_EQ(bytes, std::string("\0\0\0\5a\xEF\xBF\xBD"
                               "b",
                               9));
}

TEST(CopyEncoder, ReadsUuidsWithAndWithoutDashes) {
  EXPECT_EQ(uuid_bytes("019c1f2e-0000-7000-8000-0000000000ff"),
            uuid_bytes("019c1f2e0000700080000000000000ff"));
  EXPECT_EQ(uuid_bytes("019c1f2e0000700080000000000000ff")[15], 0xff);
}

}  // namespace
}  // namespace toolway::persistence::collector
