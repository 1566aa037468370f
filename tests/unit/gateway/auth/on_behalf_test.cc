#include "gateway/auth/on_behalf.h"

#include <gtest/gtest.h>

#include "extensions/seal.h"

namespace toolway::gateway::auth {
namespace {

using namespace std::chrono_literals;

class OnBehalf : public testing::Test {
 protected:
  std::string sealed() const {
    TurnToken token{.caller = {}, .acting = {.session_id = "s", .turn = "t"}};
    token.caller.user_id = "ann";
    token.caller.roles = {"agent"};
    return seal_turn(keys_, token, now_ + 1h);
  }

  const SealKeys keys_ = *SealKeys::parse(SealKeys::new_line("one"));
  const WallTime now_ = from_unix_us(1'700'000'000'000'000);
};

TEST_F(OnBehalf, ATokenSaysWhoseTurnItIs) {
  const auto opened = open_turn(keys_, sealed(), now_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->caller.user_id, "ann");
  EXPECT_EQ(opened->caller.roles, std::vector<std::string>{"agent"});
  EXPECT_EQ(opened->acting.session_id, "s");
  EXPECT_EQ(opened->acting.turn, "t");
}

TEST_F(OnBehalf, ATokenThatHasExpiredIsRefused) {
  EXPECT_TRUE(open_turn(keys_, sealed(), now_ + 59min));
  for (const auto later : {WallTime(now_ + 1h), WallTime(now_ + 2h)}) {
    const auto opened = open_turn(keys_, sealed(), later);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().error.code, ErrorCode::kUnauthenticated);
    EXPECT_EQ(wire::status_of(opened.error()), 401U);
    EXPECT_NE(opened.error().error.message.find("has no token of a turn"), std::string::npos);
    EXPECT_EQ(opened.error().error.message.find("ann"), std::string::npos);
  }
}

TEST_F(OnBehalf, WhatWasChangedOrSealedForSomethingElseIsRefused) {
  auto changed = sealed();
  changed[changed.size() / 2] ^= 1;
  for (const auto& token : {std::string(), std::string("x"), changed,
                            extensions::seal(keys_, "another", "{}", now_ + 1h)})
    EXPECT_FALSE(open_turn(keys_, token, now_)) << token;
  EXPECT_FALSE(open_turn(*SealKeys::parse(SealKeys::new_line("one")), sealed(), now_));
}

TEST_F(OnBehalf, TheCredentialOfAChatProcessCountsWithATokenAlone) {
  auto policy = std::make_shared<extensions::Policy>();
  policy->roles.emplace()["chat"] = {"chat:act", "chat:continue"};
  (*policy->roles)["helper"] = {"chat:act", "call:web.*"};
  (*policy->roles)["operator"] = {"*"};
  const auto needs = [&](const std::vector<std::string>& roles, wire::Route route) {
    wire::Caller caller;
    caller.user_id = "chat";
    caller.roles = roles;
    caller.method = extensions::kByKey;
    return needs_no_turn(route, extensions::grants_of(policy, caller));
  };
  const auto alone = needs({"chat"}, wire::Route::kPostMessage);
  ASSERT_FALSE(alone);
  EXPECT_EQ(wire::status_of(alone.error()), 401U);
  EXPECT_FALSE(needs({"chat"}, wire::Route::kSessionTools));
  EXPECT_TRUE(needs({"chat"}, wire::Route::kLivez));
  EXPECT_TRUE(needs({"helper"}, wire::Route::kPostMessage)) << "it may do something itself";
  EXPECT_TRUE(needs({"chat", "helper"}, wire::Route::kPostMessage));
  EXPECT_TRUE(needs({"operator"}, wire::Route::kPostMessage));
  EXPECT_TRUE(needs({}, wire::Route::kPostMessage)) << "it is refused for what it may not do";
  EXPECT_TRUE(needs_no_turn(wire::Route::kPostMessage, nullptr));
}

TEST_F(OnBehalf, ATokenCountsWithTheCredentialOfAChatProcessAlone) {
  auto policy = std::make_shared<extensions::Policy>();
  policy->roles.emplace()["chat"] = {"chat:act"};
  (*policy->roles)["agent"] = {"call:web.*"};
  const auto status = [&](const char* role, wire::Route route) {
    wire::Caller caller;
    caller.user_id = "bea";
    caller.roles = {role};
    caller.method = extensions::kByKey;
    const auto may = may_act(caller, extensions::grants_of(policy, caller), route, true);
    return may ? 200U : wire::status_of(may.error());
  };
  EXPECT_EQ(status("chat", wire::Route::kPostToolCalls), 200U);
  EXPECT_EQ(status("chat", wire::Route::kPostMessage), 403U) << "a process that may not do this";
  EXPECT_EQ(status("agent", wire::Route::kPostToolCalls), 401U) << "not a chat process";
  EXPECT_EQ(status("agent", wire::Route::kPostMessage), 401U);
}

TEST_F(OnBehalf, ATurnStaysInItsSession) {
  const wire::Acting acting{.session_id = "s", .turn = "t"};
  for (const auto route :
       {wire::Route::kPostToolCalls, wire::Route::kPostMessage, wire::Route::kSessionTools}) {
    EXPECT_TRUE(stays_in_session(route, "s", acting));
    const auto other = stays_in_session(route, "other", acting);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().error.code, ErrorCode::kUnknownSession);
  }
  EXPECT_FALSE(stays_in_session(wire::Route::kImportConversation, "s", acting));
}

}  // namespace
}  // namespace toolway::gateway::auth
