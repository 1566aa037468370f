#include "gateway/calls/approval_json.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "proto/approvals.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::CallAndLog;

constexpr WallTime kShownAt{std::chrono::seconds(1'800'000'000)};

CallAndLog waiting_call() {
  CallAndLog made;
  made.request.set_call_id("0192a000-0000-7000-8000-000000000001");
  made.request.set_user_id("ann");
  made.request.set_arguments(R"({"a":1})");
  made.request.mutable_labels()->set_namespace_("sample");
  made.request.mutable_labels()->set_tool("counts");
  made.request.mutable_hold()->set_quorum(2);
  made.request.mutable_hold()->set_because("rule");
  return made;
}

TEST(Approvals, WaitUntilTheyAreDecided) {
  auto call = waiting_call();
  EXPECT_TRUE(is_waiting(call));
  call.last = proto::approval_request(call.request, "d", kShownAt);
  EXPECT_TRUE(is_waiting(call));
  v1::Vote vote;
  vote.set_user_id("bea");
  vote.set_approve(true);
  auto one = call;
  one.last = proto::approval_decided(call.request, *call.last, vote, kShownAt);
  EXPECT_TRUE(is_waiting(one)) << "another must approve";
  one.last = proto::approval_decided(call.request, *one.last, vote, kShownAt);
  EXPECT_FALSE(is_waiting(one));
  vote.set_approve(false);
  call.last = proto::approval_decided(call.request, *call.last, vote, kShownAt);
  EXPECT_FALSE(is_waiting(call));
  auto released = waiting_call();
  released.request.set_released_at_us(1);
  EXPECT_FALSE(is_waiting(released));
}

TEST(Approvals, ShowNoSecretArguments) {
  const auto shown = [](const CallAndLog& call) {
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
  call.request.add_secret_places("/a");
  EXPECT_EQ(shown(call)["arguments"], *parse_ordered_json(R"({"a":"[secret]"})"));
}

}  // namespace
}  // namespace toolway::gateway::calls
