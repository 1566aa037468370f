#include "extensions/limits/bucket_key.h"

#include <gtest/gtest.h>

namespace toolway::extensions::limits {
namespace {

v1::CallRequest call_of(const std::string& user, const std::string& session = "s") {
  v1::CallRequest call;
  call.set_tenant_id("default");
  call.set_user_id(user);
  call.set_session_key(session);
  call.mutable_labels()->set_namespace_("shop");
  call.mutable_labels()->set_tool("buy");
  return call;
}

TEST(BucketKey, IsAnotherForEachLimitAndPart) {
  const auto key = [](const char* name, std::vector<std::string> parts) {
    BucketKey made({.name = name, .rate = {}, .per = {}});
    for (const auto& part : parts) made.add(part);
    return made.text();
  };
  EXPECT_EQ(key("a", {"x"}), key("a", {"x"}));
  EXPECT_EQ(key("a", {"x"}).size(), 32U);
  EXPECT_NE(key("a", {"x"}), key("b", {"x"}));
  EXPECT_NE(key("a", {"x", "y"}), key("a", {"y", "x"}));
  EXPECT_NE(key("a", {"xy"}), key("a", {"x", "y"}));
  EXPECT_NE(key("a", {"1:x"}), key("a", {"1", "x"}));
}

TEST(BucketKey, SaysWhatACallIsCountedUnder) {
  const auto key = [](std::vector<Per> per, const v1::CallRequest& call) {
    return bucket_key({.name = "l", .rate = {}, .per = std::move(per)}, call);
  };
  const auto ann = call_of("ann");
  auto keyed = ann;
  keyed.mutable_principal()->set_key_id("k1");
  auto other_tenant = ann;
  other_tenant.set_tenant_id("acme");
  auto other_tool = ann;
  other_tool.mutable_labels()->set_tool("sell");
  EXPECT_EQ(key({Per::kKey}, ann), key({Per::kUser}, ann)) << "no key: the user";
  EXPECT_NE(key({Per::kKey}, keyed), key({Per::kKey}, ann));
  EXPECT_EQ(key({Per::kUser}, keyed), key({Per::kUser}, ann)) << "many keys are one user";
  EXPECT_NE(key({Per::kUser}, other_tenant), key({Per::kUser}, ann));
  EXPECT_NE(key({Per::kTenant}, other_tenant), key({Per::kTenant}, ann));
  EXPECT_NE(key({Per::kTool}, other_tool), key({Per::kTool}, ann));
  EXPECT_EQ(key({}, other_tenant), key({}, call_of("bob", "s9")));
}

}  // namespace
}  // namespace toolway::extensions::limits
