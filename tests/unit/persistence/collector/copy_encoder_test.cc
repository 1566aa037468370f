#include "persistence/collector/copy_encoder.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::persistence::collector {
namespace {

using namespace std::string_literals;

/// What `write` appends.
template <typename Write>
std::string written(Write write) {
  std::string out;
  CopyEncoder encoder(out);
  write(encoder);
  return out;
}

TEST(CopyEncoder, WritesLengthsAndNumbersMostSignificantByteFirst) {
  EXPECT_EQ(written([](auto& row) { row.begin_row(258); }), "\1\2"s);
  EXPECT_EQ(written([](auto& row) { row.null(); }), "\xff\xff\xff\xff"s);
  EXPECT_EQ(written([](auto& row) { row.boolean(true); }), "\0\0\0\1\1"s);
  EXPECT_EQ(written([](auto& row) { row.int4(-2); }), "\0\0\0\4\xff\xff\xff\xfe"s);
  EXPECT_EQ(written([](auto& row) { row.int8(258); }), "\0\0\0\x8\0\0\0\0\0\0\1\2"s);
  EXPECT_EQ(written([](auto& row) { row.bytes("a\0b"s); }), "\0\0\0\3a\0b"s);
}

TEST(CopyEncoder, ATextHasNoNul) {
  EXPECT_EQ(written([](auto& row) { row.text("ab"); }), "\0\0\0\2ab"s);
  EXPECT_EQ(written([](auto& row) { row.text("a\0b"s); }), "\0\0\0\5a\xEF\xBF\xBD"s + "b");
}

TEST(CopyEncoder, CountsTimesAsPostgresDoes) {
  EXPECT_EQ(written([](auto& row) { row.time(946'684'800'000'001); }),
            written([](auto& row) { row.int8(1); }))
      << "from 2000-01-01";
  EXPECT_EQ(written([](auto& row) { row.time(INT64_MIN); }),
            written([](auto& row) { row.int8(INT64_MIN + 1); }))
      << "not the other end of its range";
}

TEST(CopyEncoder, ReadsAUuidWithDashesAndWithout) {
  const auto plain = uuid_bytes("00112233445566778899aabbccddeeff");
  EXPECT_EQ(plain[1], 0x11);
  EXPECT_EQ(plain[15], 0xff);
  EXPECT_EQ(uuid_bytes("00112233-4455-6677-8899-aabbccddeeff"), plain);
  EXPECT_EQ(written([&](auto& row) { row.uuid(plain); }).substr(0, 6), "\0\0\0\x10\0\x11"s);
}

TEST(CopyEncoder, AnArrayOfTextsHasItsDimensions) {
  const auto none = written([](auto& row) { row.texts(std::vector<std::string>{}); });
  EXPECT_EQ(none, "\0\0\0\xc\0\0\0\0\0\0\0\0\0\0\0\x19"s);
  const auto one = written([](auto& row) { row.texts(std::vector<std::string>{"a"}); });
  EXPECT_EQ(one,
            "\0\0\0\x19\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\1\0\0\0\1\0\0\0\1"
            "a"s);
}

}  // namespace
}  // namespace toolway::persistence::collector
