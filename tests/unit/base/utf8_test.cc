#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace toolway {
namespace {

TEST(Utf8, IsCutBetweenTwoCharacters) {
  const std::string text = "aä€😀";  // 1, 2, 3 and 4 bytes
  EXPECT_EQ(utf8_prefix(text, 0), "");
  EXPECT_EQ(utf8_prefix(text, 1), "a");
  EXPECT_EQ(utf8_prefix(text, 2), "a");
  EXPECT_EQ(utf8_prefix(text, 3), "aä");
  EXPECT_EQ(utf8_prefix(text, 5), "aä");
  EXPECT_EQ(utf8_prefix(text, 6), "aä€");
  EXPECT_EQ(utf8_prefix(text, 9), "aä€");
  EXPECT_EQ(utf8_prefix(text, 10), text);
  EXPECT_EQ(utf8_prefix(text, 99), text);
}

TEST(Utf8, LosesTheCharacterThatMayHaveBeenCut) {
  const std::string text = "ab😀";
  EXPECT_EQ(without_cut_character(text), "ab");
  EXPECT_EQ(without_cut_character(text.substr(0, 5)), "ab");
  EXPECT_EQ(without_cut_character(text.substr(0, 3)), "ab");
  EXPECT_EQ(without_cut_character("ab"), "ab");
  EXPECT_EQ(without_cut_character(""), "");
}

}  // namespace
}  // namespace toolway
