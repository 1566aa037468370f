#include <gtest/gtest.h>

#include "gateway/wire/caller.h"

namespace toolway::gateway::wire {
namespace {

TEST(OwnerName, TellsUsersOfTwoTenantsApart) {
  EXPECT_NE(owner_name("acme", "ann"), owner_name("blue", "ann"));
  EXPECT_NE(owner_name("ab", "c"), owner_name("a", "bc"));
  const Caller caller{.tenant_id = "acme", .user_id = "ann"};
  EXPECT_EQ(owner_name(caller), owner_name("acme", "ann"));
  EXPECT_TRUE(owns(caller, "acme", "ann"));
  EXPECT_FALSE(owns(caller, "blue", "ann"));
  EXPECT_FALSE(owns(caller, "acme", "bob"));
}

TEST(OwnerName, ACallerWithoutACredentialIsOfTheDefaultTenant) {
  const auto caller = resolve_caller(std::nullopt, UserHeader::kUntrusted);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->tenant_id, "default");
}

}  // namespace
}  // namespace toolway::gateway::wire
