#include "persistence/audit/audit_page.h"

#include <gtest/gtest.h>

namespace toolway::persistence::audit {
namespace {

TEST(AuditPage, IsEmptyAndKeepsItsPlaceWhenNothingFollows) {
  const auto page = record_page({}, {7, 8}, 10);
  EXPECT_TRUE(page.records.empty());
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.looked_to, (RecordPlace{7, 8}));
}

TEST(AuditPage, LooksAtNoMoreThanItShowsUnlessSomethingIsLeftOut) {
  const auto all = page_statement({}, {7, 8}, 10);
  EXPECT_NE(all.sql.find("LIMIT 11)"), std::string::npos) << all.sql;
  EXPECT_EQ(all.parameters.size(), 3U);
  const auto some = page_statement({.what = "refused"}, {}, 10);
  EXPECT_NE(some.sql.find("LIMIT 5000)"), std::string::npos) << some.sql;
}

TEST(AuditPage, PutsNothingThatACallerWroteIntoTheStatement) {
  const std::string hostile = "x'; DROP TABLE audit_log; --";
  const auto page = page_statement({.tenant = hostile, .what = hostile, .user = hostile}, {}, 10);
  EXPECT_EQ(page.sql.find("DROP"), std::string::npos);
  EXPECT_EQ(page.parameters.size(), 6U);
}

}  // namespace
}  // namespace toolway::persistence::audit
