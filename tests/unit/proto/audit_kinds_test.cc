#include "proto/audit_kinds.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/support/page_code.h"

namespace toolway::proto {
namespace {

TEST(AuditKinds, AreThoseOfTheDocs) {
  const auto page = test::text_of("docs/audit.md");
  auto table = page.substr(page.find("| `what` | when | says |\n|---|---|---|\n"));
  table.resize(table.find("\n\n"));
  std::set<std::string> described;
  const std::regex row("\n\\| ((`[a-z_]+`(, )?)+) \\|");
  const std::regex name("`([a-z_]+)`");
  for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
    const auto names = at->str(1);
    for (std::sregex_iterator one(names.begin(), names.end(), name); one != end; ++one)
      described.insert(one->str(1));
  }
  EXPECT_EQ(described, std::set<std::string>(kAuditKinds.begin(), kAuditKinds.end()));
  EXPECT_TRUE(is_audit_kind("spec_put"));
  EXPECT_FALSE(is_audit_kind("spec_puts"));
}

}  // namespace
}  // namespace toolway::proto
