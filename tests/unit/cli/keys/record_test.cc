#include <gtest/gtest.h>

#include "cli/keys/verbs.h"

namespace toolway::cli::keys {
namespace {

using std::chrono::minutes;

TEST(KeyLifetime, IsDaysHoursMinutesOrNever) {
  EXPECT_EQ(*parse_lifetime("never"), std::nullopt);
  EXPECT_EQ(*parse_lifetime("90d"), minutes(90 * 24 * 60));
  EXPECT_EQ(*parse_lifetime("12h"), minutes(12 * 60));
  EXPECT_EQ(*parse_lifetime("30m"), minutes(30));
  EXPECT_TRUE(parse_lifetime("36500d"));
  for (const auto* text :
       {"", "d", "0d", "-1d", "1.5h", "90", "90s", "36501d", "9999999999999999999h", "1d2h", " 1d"})
    EXPECT_FALSE(parse_lifetime(text)) << text;
}

TEST(KeyRoles, ThatThePolicyDoesNotHaveAreNamed) {
  auto policy = std::make_shared<extensions::Policy>();
  EXPECT_EQ(unknown_roles(nullptr, {"agent"}), "");
  EXPECT_EQ(unknown_roles(policy, {"agent"}), "") << "without roles it grants everything";
  policy->roles = {{"agent", {"call:*"}}, {"approver", {}}};
  EXPECT_EQ(unknown_roles(policy, {}), "");
  EXPECT_EQ(unknown_roles(policy, {"agent", "approver"}), "");
  EXPECT_EQ(unknown_roles(policy, {"agnet", "agent"}),
            "warning: agnet grants nothing: the policy in force has the roles agent, approver");
}

TEST(KeyRecord, HoldsWhatIsAskedFor) {
  KeyOptions options;
  options.user = "ann";
  options.roles = {"agent"};
  options.namespaces = {"shop", "text*"};
  options.expires = "1d";
  const WallTime now{std::chrono::hours(500'000)};
  const auto record = record_of(options, now);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->tenant_id(), "default");
  EXPECT_EQ(record->user_id(), "ann");
  EXPECT_EQ(record->roles(0), "agent");
  EXPECT_EQ(record->namespaces(1), "text*");
  EXPECT_EQ(record->expires_at_us() - record->created_at_us(), 86'400'000'000);
}

TEST(KeyRecord, EachOptionIsRefusedByName) {
  const auto refused = [](auto change) {
    KeyOptions options;
    options.user = "ann";
    change(options);
    const auto record = record_of(options, {});
    return record ? std::string() : record.error().message;
  };
  const auto names = [](const std::string& message, const char* option) {
    return message.find(option) != std::string::npos;
  };
  EXPECT_TRUE(names(refused([](auto& o) { o.user = ""; }), "--user"));
  EXPECT_TRUE(names(refused([](auto& o) { o.user = "a\nb"; }), "--user"));
  EXPECT_TRUE(names(refused([](auto& o) { o.tenant = "a b"; }), "--tenant"));
  EXPECT_TRUE(names(refused([](auto& o) { o.roles = {"a b"}; }), "--role"));
  EXPECT_TRUE(names(refused([](auto& o) { o.namespaces = {""}; }), "--namespaces"));
  EXPECT_TRUE(names(refused([](auto& o) { o.namespaces = {"a.b"}; }), "--namespaces 'a.b'"));
  EXPECT_TRUE(names(refused([](auto& o) { o.expires = "soon"; }), "--expires"));
  EXPECT_TRUE(names(refused([](auto& o) { o.note = "\xff"; }), "--note"));
}

TEST(ListedKeys, TheNewestIsLast) {
  const auto entry = [](const char* id, std::int64_t created_at_us) {
    v1::ApiKeyRecord record;
    record.set_user_id("ann");
    record.set_created_at_us(created_at_us);
    return bus::Entry{id, record.SerializeAsString(), 1};
  };
  std::string ids;
  for (const auto& key : listed_keys(
           {entry("c", 5), entry("b", 9), entry("d", 7), {"broken", "\xff", 1}, entry("a", 9)}))
    ids += key.id;
  EXPECT_EQ(ids, "cdab");
}

}  // namespace
}  // namespace toolway::cli::keys
