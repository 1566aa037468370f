#include "gateway/calls/approval_json.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "proto/approvals.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::HeldCall;

constexpr WallTime kShownAt{std::chrono::seconds(1'800'000'000)};

HeldCall waiting_call() {
  HeldCall made{.call = {}, .state = "waiting", .decided_at = {}};
  made.call.request.set_call_id("0192a000-0000-7000-8000-000000000001");
  made.call.request.set_user_id("ann");
  made.call.request.set_arguments(R"({"a":1})");
  made.call.request.mutable_labels()->set_namespace_("sample");
  made.call.request.mutable_labels()->set_tool("counts");
  made.call.request.mutable_hold()->set_quorum(2);
  made.call.request.mutable_hold()->set_because("rule");
  return made;
}

TEST(Approvals, WaitUntilTheyAreDecided) {
  auto call = waiting_call();
  EXPECT_TRUE(is_as_said(call));
  call.call.last = proto::approval_request(call.call.request, "d", kShownAt);
  EXPECT_TRUE(is_as_said(call));
  v1::Vote vote;
  vote.set_user_id("bea");
  vote.set_approve(true);
  auto one = call;
  one.call.last = proto::approval_decided(call.call.request, *call.call.last, vote, kShownAt);
  EXPECT_TRUE(is_as_said(one)) << "another must approve";
  one.call.last = proto::approval_decided(call.call.request, *one.call.last, vote, kShownAt);
  EXPECT_FALSE(is_as_said(one));
  vote.set_approve(false);
  call.call.last = proto::approval_decided(call.call.request, *call.call.last, vote, kShownAt);
  EXPECT_FALSE(is_as_said(call));
  auto released = waiting_call();
  released.call.request.set_released_at_us(1);
  EXPECT_FALSE(is_as_said(released));
  released.state = "approved";
  EXPECT_TRUE(is_as_said(released));
}

TEST(Approvals, ShowNoSecretArguments) {
  const auto shown = [](const HeldCall& call) {
    std::string out;
    write_approval(out, call);
    return *parse_ordered_json(out);
  };
  auto call = waiting_call();
  const auto plain = shown(call);
  EXPECT_EQ(plain["tool"], "sample.counts");
  EXPECT_EQ(plain["arguments"], *parse_ordered_json(R"({"a":1})"));
  EXPECT_EQ(plain["held_by"], "rule");
  EXPECT_EQ(plain["quorum"], 2);
  EXPECT_EQ(plain["state"], "waiting");
  EXPECT_TRUE(plain["decided_at"].is_null());
  call.call.request.add_secret_places("/a");
  EXPECT_EQ(shown(call)["arguments"], *parse_ordered_json(R"({"a":"[secret]"})"));
}

TEST(Approvals, SayWhatBecameOfThemAndWhen) {
  auto call = waiting_call();
  call.state = "denied";
  call.decided_at = kShownAt;
  v1::Vote vote;
  vote.set_user_id("bea");
  const auto asked = proto::approval_request(call.call.request, "d", kShownAt);
  call.call.last = proto::approval_decided(call.call.request, asked, vote, kShownAt);
  std::string out;
  write_approval(out, call);
  const auto shown = *parse_ordered_json(out);
  EXPECT_EQ(shown["state"], "denied");
  EXPECT_EQ(shown["decided_at"], "2027-01-15T08:00:00.000000Z");
  EXPECT_EQ(shown["approvals"][0]["by"], "bea");
}

}  // namespace
}  // namespace toolway::gateway::calls
