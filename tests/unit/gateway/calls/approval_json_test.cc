#include "gateway/calls/approval_json.h"

#include <gtest/gtest.h>

#include "proto/approvals.h"
#include "tests/support/sample_tools.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::CallAndLog;

constexpr WallTime kShownAt{std::chrono::seconds(1'800'000'000)};

TEST(ShownArguments, HideWhatTheirSchemaMarks) {
  const auto schema = *parse_ordered_json(R"({"type": "object", "properties": {
    "user": {"type": "string"},
    "password": {"type": "string", "writeOnly": true},
    "card": {"type": "object", "x-secret": true},
    "shown": {"type": "string", "writeOnly": false},
    "people": {"type": "array", "items": {"type": "object", "properties": {
      "name": {"type": "string"}, "pin": {"x-secret": true}}}}}})");
  const auto arguments = *parse_json(R"({"user": "ann", "password": "p", "card": {"number": 1},
    "shown": "s", "people": [{"name": "n", "pin": 1}, {"pin": 2}], "other": "o"})");
  EXPECT_EQ(shown_arguments(arguments, schema), *parse_json(R"({"user": "ann",
    "password": "[secret]", "card": "[secret]", "shown": "s",
    "people": [{"name": "n", "pin": "[secret]"}, {"pin": "[secret]"}], "other": "o"})"));
  EXPECT_EQ(shown_arguments("x", OrderedJson(true)), "x");
}

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

TEST(Approvals, ShowArgumentsOnlyByTheSchemaThatAdmittedThem) {
  const auto registry = tools::samples::sample_registry(std::make_shared<std::atomic<int>>(0));
  const auto shown = [&](const std::string& digest) {
    auto call = waiting_call();
    call.request.set_spec_digest(digest);
    std::string out;
    write_approval(out, call, *registry);
    return *parse_ordered_json(out);
  };
  const auto tool = registry->find("sample", "counts");
  ASSERT_TRUE(tool);
  const auto same = shown(tool->digest);
  EXPECT_EQ(same["tool"], "sample.counts");
  EXPECT_EQ(same["arguments"], *parse_ordered_json(R"({"a":1})"));
  EXPECT_EQ(same["held_by"], "rule");
  EXPECT_EQ(same["quorum"], 2);
  EXPECT_TRUE(shown("sha256:other")["arguments"].is_null());
}

}  // namespace
}  // namespace toolway::gateway::calls
