#include "cli/terminal/columns.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

TEST(Columns, AreThoseOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plain, äöü é …"), 14U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a letter and its combining accent";
  EXPECT_EQ(display_width("数える"), 6U);
  EXPECT_EQ(display_width("한국어"), 6U);
  EXPECT_EQ(display_width("ＡＢ"), 4U) << "full width";
  EXPECT_EQ(display_width("✅ done"), 7U);
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("👍🏽"), 2U) << "with a skin tone";
  EXPECT_EQ(display_width("a\u200bb"), 2U) << "a space of no width";
  EXPECT_EQ(display_width("\U0002070e"), 2U);
}

TEST(Columns, BytesOutsideOfUtf8TakeOneEach) {
  EXPECT_EQ(display_width("\xff\xe6\x95"), 3U);
  EXPECT_EQ(display_width("\x80z"), 2U);
  EXPECT_EQ(display_width("\xe6zz"), 3U) << "a character that is cut off";
}

TEST(Columns, NoCharacterIsCutInTwo) {
  const std::string_view text = "数える";
  EXPECT_EQ(bytes_within(text, 6), text.size());
  EXPECT_EQ(bytes_within(text, 5), 6U) << "half of a character is not shown";
  EXPECT_EQ(bytes_within(text, 1), 0U);
  EXPECT_EQ(bytes_within("e\u0301x", 1), 3U) << "an accent stays with its letter";
}

}  // namespace
}  // namespace toolway::cli::terminal
