#include "persistence/store/mailbox_query.h"

#include <gtest/gtest.h>

namespace toolway::persistence::store {
namespace {

TEST(MailboxQuery, AsksForParentsOnlyWhereTheyAreLeftOut) {
  EXPECT_EQ(mailbox_rows(Parents::kAny).find("c.parent_call_id IS NULL"), std::string::npos);
  EXPECT_NE(mailbox_rows(Parents::kNone).find("c.parent_call_id IS NULL"), std::string::npos);
}

TEST(MailboxQuery, EndsAPageBeforeACompletionOfWhichNothingIsKnown) {
  Page<MailboxEntry> page;
  for (std::uint64_t number = 1; number <= 3; ++number)
    page.push_back({.cursor = {1, number}, .call = {}, .early = number == 2});
  page.more = true;
  end_before_early(page, Parents::kAny);
  EXPECT_EQ(page.size(), 3U) << "it is shown to those who want all";
  end_before_early(page, Parents::kNone);
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page.front().cursor.number, 1U);
  EXPECT_FALSE(page.more) << "asking again at once gets the same page";
  end_before_early(page, Parents::kNone);
  EXPECT_EQ(page.size(), 1U);
}

}  // namespace
}  // namespace toolway::persistence::store
