#include "extensions/auth/key_ring.h"

#include <gtest/gtest.h>

#include "extensions/auth/api_key.h"

namespace toolway::extensions::auth {
namespace {

constexpr std::chrono::hours kHour{1};

class ApiKeyRing : public testing::Test {
 protected:
  ApiKeyRing() {
    record_.set_tenant_id("acme");
    record_.set_user_id("ann");
    record_.set_sha256(api_key_digest(key_.text));
    record_.add_roles("agent");
    record_.add_namespaces("shop");
  }
  void take(std::uint64_t revision) { ring_.take(key_.id, record_.SerializeAsString(), revision); }
  Refused refused(std::string_view key) {
    const auto checked = ring_.check(key, now_);
    EXPECT_FALSE(checked);
    return checked ? Refused::kMissing : checked.error().why;
  }

  const ApiKey key_ = make_api_key();
  v1::ApiKeyRecord record_;
  KeyRing ring_;
  const WallTime now_{std::chrono::hours(500'000)};
};

TEST_F(ApiKeyRing, AKeyIsItsOwner) {
  take(1);
  const auto granted = ring_.check(key_.text, now_);
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->principal.tenant_id, "acme");
  EXPECT_EQ(granted->principal.user_id, "ann");
  EXPECT_EQ(granted->principal.key_id, key_.id);
  EXPECT_EQ(granted->principal.roles, std::vector<std::string>{"agent"});
  EXPECT_EQ(granted->principal.namespaces, std::vector<std::string>{"shop"});
  EXPECT_EQ(granted->principal.method, kByKey);
  EXPECT_EQ(granted->until, WallTime::max());
}

TEST_F(ApiKeyRing, AnotherSecretOpensNothing) {
  take(1);
  ring_.all_taken();
  auto wrong = key_.text;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(refused(wrong), Refused::kInvalid);
  EXPECT_EQ(refused("tw_nonsense"), Refused::kInvalid);
}

TEST_F(ApiKeyRing, WhatIsNotReadYetIsNotRefusedForGood) {
  EXPECT_EQ(refused(key_.text), Refused::kUnavailable);
  ring_.all_taken();
  EXPECT_EQ(refused(key_.text), Refused::kInvalid);
}

TEST_F(ApiKeyRing, RevokedAndExpiredKeysOpenNothing) {
  record_.set_expires_at_us(to_unix_us(now_));
  take(1);
  EXPECT_EQ(refused(key_.text), Refused::kExpired);
  EXPECT_FALSE(ring_.valid(key_.id, now_));
  EXPECT_TRUE(ring_.valid(key_.id, now_ - kHour));
  record_.set_expires_at_us(0);
  take(2);
  EXPECT_TRUE(ring_.valid(key_.id, now_));
  const auto before = ring_.changes();
  record_.set_revoked_at_us(1);
  take(3);
  EXPECT_GT(ring_.changes(), before);
  EXPECT_EQ(refused(key_.text), Refused::kRevoked);
  EXPECT_FALSE(ring_.valid(key_.id, now_));
}

TEST_F(ApiKeyRing, AnOlderRevisionBringsNoKeyBack) {
  const auto live = record_.SerializeAsString();
  record_.set_revoked_at_us(1);
  take(7);
  ring_.take(key_.id, live, 6);
  EXPECT_EQ(refused(key_.text), Refused::kRevoked);
}

TEST_F(ApiKeyRing, AnotherBucketForgetsWhatItDoesNotHave) {
  take(7);
  const ApiKey other = make_api_key();
  ring_.begin_again();
  record_.set_sha256(api_key_digest(other.text));
  ring_.take(other.id, record_.SerializeAsString(), 1);
  ring_.end_again();
  ring_.all_taken();
  EXPECT_EQ(ring_.size(), 1U);
  EXPECT_TRUE(ring_.check(other.text, now_));
  EXPECT_EQ(refused(key_.text), Refused::kInvalid);
}

TEST_F(ApiKeyRing, AnEntryThatCannotBeReadOpensNothing) {
  ring_.take(key_.id, "\xff\xff", 1);
  ring_.all_taken();
  EXPECT_EQ(refused(key_.text), Refused::kInvalid);
}

TEST_F(ApiKeyRing, AUseIsNotedOnceAnHour) {
  take(5);
  const auto use = ring_.note_use(key_.id, now_ + std::chrono::minutes(59));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->revision, 5U);
  v1::ApiKeyRecord written;
  ASSERT_TRUE(written.ParseFromString(use->value));
  EXPECT_EQ(from_unix_us(written.used_at_us()), now_);
  EXPECT_FALSE(ring_.note_use(key_.id, now_ + std::chrono::minutes(59)));
  ring_.take(key_.id, use->value, 6);  // as another gateway wrote it
  EXPECT_FALSE(ring_.note_use(key_.id, now_));
  EXPECT_TRUE(ring_.note_use(key_.id, now_ + kHour));
  record_.set_revoked_at_us(1);
  take(8);
  EXPECT_FALSE(ring_.note_use(key_.id, now_ + 2 * kHour));
}

}  // namespace
}  // namespace toolway::extensions::auth
