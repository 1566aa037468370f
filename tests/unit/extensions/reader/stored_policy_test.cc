#include "extensions/reader/stored_policy.h"

#include <gtest/gtest.h>

namespace toolway::extensions::reader {
namespace {

TEST(StoredPolicy, IsReadAsItWasWritten) {
  const auto read = decode_policy(
      encode({.number = 7, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = "rules: []\n"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->number, 7U);
  EXPECT_EQ(read->by, "ann");
  EXPECT_EQ(read->at, "2026-01-01T00:00:00Z");
  EXPECT_EQ(read->text, "rules: []\n");
}

TEST(StoredPolicy, AnotherFormIsAnError) {
  for (const char* text : {"", "x", "[]", "{}", R"({"number": 0, "text": ""})", R"({"number": 1})",
                           R"({"number": 1, "text": 5})"})
    EXPECT_FALSE(decode_policy(text)) << text;
}

TEST(StoredPolicy, TwentyVersionsAreKept) {
  EXPECT_EQ(version_key(1), version_key(1 + kKeptVersions));
  EXPECT_NE(version_key(1), version_key(2));
}

}  // namespace
}  // namespace toolway::extensions::reader
