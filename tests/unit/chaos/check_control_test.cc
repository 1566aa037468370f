#include <gtest/gtest.h>

#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// Two gateways, a key that was made at 10 s and revoked from 20.0 to 20.1 s, and three versions.
struct Changes {
  std::vector<KeyLife> keys{{.id = "k",
                             .user = "k0",
                             .made_us = 10 * kSecond,
                             .revoking_us = 20 * kSecond,
                             .revoked_us = 20 * kSecond + 100'000}};
  std::vector<PolicyPut> puts{
      {.acked_us = 1},
      {.ruling = Ruling::kRefused, .begun_us = 10 * kSecond, .acked_us = 10 * kSecond + 100'000},
      {.ruling = Ruling::kHeld, .begun_us = 20 * kSecond, .acked_us = 20 * kSecond + 100'000}};
  Outages outages;

  /// What is violated by an answer to a request with the key at this time.
  std::string key_said(double at, int status, const char* gateway = "g0") const {
    const auto at_us = static_cast<std::int64_t>(at * kSecond);
    Verdicts verdicts;
    check_keys(keys, {{"k", gateway, at_us, at_us + 1000, status}}, outages, verdicts);
    if (verdicts[Property::kRevocation].violated != 0) return "revocation";
    if (verdicts[Property::kNewKey].violated != 0) return "new key";
    return verdicts[Property::kRevocation].checked + verdicts[Property::kNewKey].checked == 0
               ? "not judged"
               : "fine";
  }
  /// The same of a request for the tool.
  bool call_fine(double at, Ruling ruling, const char* gateway = "g0") const {
    Post post{.tool = kBarredTool, .token = "tok.u.1.", .gateway = gateway};
    post.at_us = static_cast<std::int64_t>(at * kSecond);
    post.done_us = post.at_us + 1000;
    post.fate = ruling == Ruling::kRefused ? Fate::kRefused : Fate::kAccepted;
    if (ruling == Ruling::kRefused) post.code = "tool_disabled";
    post.held = ruling == Ruling::kHeld;
    Verdicts verdicts;
    check_policies(puts, {post}, outages, verdicts);
    EXPECT_EQ(verdicts[Property::kPolicy].checked, 1U);
    return verdicts[Property::kPolicy].violated == 0;
  }
};

TEST(CheckControl, FindsARevokedKeyThatIsTaken) {
  const Changes made;
  for (const int status : {200, 202, 403, 409}) {
    EXPECT_EQ(made.key_said(22.2, status), "revocation") << status;
    EXPECT_EQ(made.key_said(22.0, status), "not judged") << "within 2 s of the acknowledgement";
  }
  EXPECT_EQ(made.key_said(22.2, 401), "fine");
  for (const int status : {0, 429, 503}) EXPECT_EQ(made.key_said(22.2, status), "not judged");
}

TEST(CheckControl, FindsANewKeyThatIsNotTaken) {
  Changes made;
  EXPECT_EQ(made.key_said(12.1, 401), "new key");
  EXPECT_EQ(made.key_said(11.9, 401), "not judged");
  EXPECT_EQ(made.key_said(12.1, 202), "fine");
  EXPECT_EQ(made.key_said(19.9995, 401), "not judged") << "it was answered while it was revoked";
  // A verb that could not say what became of it.
  made.keys[0].revoked_us = 0;
  EXPECT_EQ(made.key_said(40, 401), "not judged");
  EXPECT_EQ(made.key_said(40, 202), "not judged");
}

TEST(CheckControl, FindsACallThatAnOldPolicyDecided) {
  Changes made;
  EXPECT_TRUE(made.call_fine(9, Ruling::kRuns));
  EXPECT_FALSE(made.call_fine(9, Ruling::kRefused)) << "before it was put";
  EXPECT_TRUE(made.call_fine(12, Ruling::kRuns)) << "within 2 s";
  EXPECT_TRUE(made.call_fine(12, Ruling::kRefused));
  EXPECT_FALSE(made.call_fine(12.2, Ruling::kRuns));
  EXPECT_TRUE(made.call_fine(20.05, Ruling::kHeld));
  EXPECT_FALSE(made.call_fine(20.05, Ruling::kRuns)) << "two versions ago";
  EXPECT_FALSE(made.call_fine(22.2, Ruling::kRefused));
  EXPECT_TRUE(made.call_fine(22.2, Ruling::kHeld));
  // One that may be in force or not.
  made.puts[2].acked_us = 0;
  EXPECT_TRUE(made.call_fine(40, Ruling::kRefused));
  EXPECT_TRUE(made.call_fine(40, Ruling::kHeld));
  EXPECT_FALSE(made.call_fine(40, Ruling::kRuns));
}

TEST(CheckControl, WhatAGatewayCannotHaveHeardIsNotHeldAgainstIt) {
  Changes made;
  made.outages.add("g0", {19 * kSecond, 25 * kSecond});
  EXPECT_EQ(made.key_said(24, 202), "not judged");
  EXPECT_EQ(made.key_said(29.4, 202), "not judged") << "2.5 s to connect, and the 2 s";
  EXPECT_EQ(made.key_said(29.6, 202), "revocation");
  EXPECT_EQ(made.key_said(24, 202, "g1"), "revocation") << "the other gateway was not cut off";
  EXPECT_TRUE(made.call_fine(24, Ruling::kRefused)) << "what was known last applies";
  EXPECT_FALSE(made.call_fine(24, Ruling::kRuns)) << "and nothing before it";
  EXPECT_FALSE(made.call_fine(29.6, Ruling::kRefused));
}

TEST(CheckControl, OutagesThatFollowOneAnotherAreOne) {
  Changes made;
  made.outages.open("", 19 * kSecond);
  EXPECT_EQ(made.key_said(1000, 202, "g1"), "not judged") << "it continues";
  made.outages.close("", 25 * kSecond);
  made.outages.add("g0", {28 * kSecond, 28 * kSecond});
  EXPECT_EQ(made.key_said(30, 202), "not judged") << "it had not heard for 4.5 s in between";
  EXPECT_EQ(made.key_said(30, 202, "g1"), "revocation");
  EXPECT_EQ(made.key_said(32.6, 202), "revocation");
  // What was acknowledged long before an outage is not forgotten in it.
  made.outages.add("g0", {50 * kSecond, 60 * kSecond});
  EXPECT_EQ(made.key_said(55, 202), "revocation");
}

TEST(CheckControl, FindsWhatWasRefusedAndRan) {
  const auto post = [](const char* token, Fate fate) { return Post{.token = token, .fate = fate}; };
  const std::vector<Trace> traces{{.call_id = "c", .token = "tok.1."}};
  const auto violated = [&](const std::vector<Post>& posts) {
    Verdicts verdicts;
    check_refused_traces(posts, traces, verdicts);
    return verdicts[Property::kRefusedNeverRan].violated;
  };
  EXPECT_EQ(violated({post("tok.1.", Fate::kRefused)}), 1U);
  EXPECT_EQ(violated({post("tok.1.", Fate::kAccepted)}), 0U);
  EXPECT_EQ(violated({post("tok.1.", Fate::kRefused), post("tok.1.", Fate::kUnknown)}), 0U);
}

}  // namespace
}  // namespace toolway::chaos
