#include "extensions/principal_message.h"

#include <gtest/gtest.h>

namespace toolway::extensions {
namespace {

TEST(PrincipalMessage, ACallSaysWhoAskedForIt) {
  v1::CallRequest request;
  request.set_tenant_id("acme");
  write_principal({.tenant_id = "acme",
                   .user_id = "ann",
                   .key_id = "k1",
                   .roles = {"agent", "approver"},
                   .namespaces = {"web"},
                   .method = "key"},
                  *request.mutable_principal());
  const auto read = principal_of(request);
  EXPECT_EQ(read.tenant_id, "acme");
  EXPECT_EQ(read.user_id, "ann");
  EXPECT_EQ(read.key_id, "k1");
  EXPECT_EQ(read.roles, (std::vector<std::string>{"agent", "approver"}));
  EXPECT_EQ(read.namespaces, std::vector<std::string>{"web"});
  EXPECT_EQ(read.method, "key");
}

/// Calls of fleets without keys keep their bytes.
TEST(PrincipalMessage, WithoutKeysTheBytesAreAsBefore) {
  v1::Principal message;
  write_principal({.user_id = "ann", .method = "header"}, message);
  EXPECT_EQ(message.SerializeAsString(),
            "\x0a\x03"
            "ann\x12\x06header");
}

}  // namespace
}  // namespace toolway::extensions
