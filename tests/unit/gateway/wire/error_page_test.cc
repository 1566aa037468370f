#include <gtest/gtest.h>

#include "gateway/wire/documents.h"

namespace toolway::gateway::wire {
namespace {

constexpr std::string_view kDocument =
    "# Errors\n\n[`b`](#b)\n\n### `a`\nFirst.\n\n- What to do\n\n### `ab`\nSecond.\n\n## Others\n\n### `b`\nLast.";

TEST(ErrorPage, IsItsHeadingAndWhatFollowsUpToTheNext) {
  EXPECT_EQ(error_page(kDocument, "a"), "### `a`\nFirst.\n\n- What to do\n");
  EXPECT_EQ(error_page(kDocument, "ab"), "### `ab`\nSecond.\n");
  EXPECT_EQ(error_page(kDocument, "b"), "### `b`\nLast.\n");
}

TEST(ErrorPage, IsNotThereForOtherWords) {
  for (const std::string_view code : {"", "c", "A", "a`\nFirst", "../a", "a b", "`"}) {
    EXPECT_FALSE(error_page(kDocument, code)) << code;
  }
  EXPECT_FALSE(error_page("", "a"));
}

TEST(ErrorPage, SaysWhatHappenedAndWhatToDo) {
  const auto page = error_page(errors_document(), "accept_unknown");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rfind("### `accept_unknown`\n", 0), 0U);
  EXPECT_NE(page->find("**What happened:**"), std::string::npos);
  EXPECT_NE(page->find("**What to do:**"), std::string::npos);
}

}  // namespace
}  // namespace toolway::gateway::wire
