#include "persistence/collector/audit_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/json.h"
#include "persistence/collector/row_batch.h"
#include "proto/audit.h"
#include "proto/codec.h"

namespace toolway::persistence::collector {
namespace {

constexpr std::string_view kCall = "019c1f2e-0000-7000-8000-000000000001";

v1::CallRequest request() {
  v1::CallRequest call;
  call.set_call_id(std::string(kCall));
  call.set_session_key("0123456789abcdef0123456789abcdef");
  call.set_session_id("s");
  call.set_user_id("ann");
  call.mutable_labels()->set_namespace_("files");
  call.mutable_labels()->set_tool("remove");
  call.set_arguments(R"({"password": "hunter2"})");
  call.set_submitted_at_us(7);
  call.mutable_principal()->set_method("key");
  call.mutable_principal()->set_key_id("0123456789ab");
  v1::Admission admission;
  admission.set_policy(3);
  admission.set_arguments_digest("sha256:12");
  auto& reason = *admission.add_reasons();
  reason.set_extension("permissions");
  reason.set_because("roles agent");
  call.set_admission(admission.SerializeAsString());
  return call;
}

v1::CallEvent event() {
  v1::CallEvent event;
  event.set_call_id(std::string(kCall));
  event.set_tenant_id("acme");
  event.set_session_key("0123456789abcdef0123456789abcdef");
  event.set_session_id("s");
  event.set_user_id("ann");
  *event.mutable_labels() = request().labels();
  event.set_attempt(1);
  event.set_seq(4);
  event.set_time_us(9);
  return event;
}

v1::CallEvent completed() {
  auto ended = event();
  ended.set_admission(proto::admission_to_tell(request()));
  ended.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  ended.mutable_completed()->set_result(R"({"password": "hunter2"})");
  ended.mutable_completed()->mutable_error()->set_code("tool_failed");
  ended.mutable_completed()->mutable_error()->set_message("hunter2 was refused");
  return ended;
}

TEST(AuditRows, SayHowACallEndedAndWhyItWasLetIn) {
  const auto ended = completed();
  const AuditRowOf made(ended);
  const auto& row = made.row();
  EXPECT_EQ(row.what, "call_ended");
  EXPECT_EQ(row.at_us, 9);
  EXPECT_EQ(row.id, kCall);
  EXPECT_EQ(row.seq, 4U);
  EXPECT_EQ(row.tenant_id, "acme");
  EXPECT_EQ(row.user_id, "ann");
  EXPECT_EQ(row.method, "key");
  EXPECT_EQ(row.key_id, "0123456789ab");
  EXPECT_EQ(row.session_id, "s");
  EXPECT_EQ(row.object, "files.remove");
  EXPECT_EQ(row.outcome, "failed");
  EXPECT_EQ(row.code, "tool_failed");
  EXPECT_EQ(
      row.details,
      R"({"policy":3,"reasons":[{"extension":"permissions","because":"roles agent"}],"arguments":"sha256:12"})");
}

TEST(AuditRows, SayReasonsAsTheyAre) {
  auto ended = completed();
  auto admission = proto::admission_of(ended.admission());
  auto& reason = *admission.add_reasons();
  reason.set_extension("approval");
  reason.set_because("rule \"é\\\n\"");
  ended.set_admission(admission.SerializeAsString());
  const AuditRowOf made(ended);
  const auto details = parse_json(*made.row().details);
  ASSERT_TRUE(details) << *made.row().details;
  ASSERT_EQ((*details)["reasons"].size(), 2U);
  EXPECT_EQ((*details)["reasons"][1]["because"], "rule \"é\\\n\"");
}

TEST(AuditRows, HaveNoDetailsWhenNothingWasDecided) {
  const auto ended = [] {
    auto ended = completed();
    ended.clear_admission();
    return ended;
  }();
  const AuditRowOf made(ended);
  EXPECT_FALSE(made.row().details);
  EXPECT_EQ(made.row().method, "");
}

TEST(AuditRows, SayThatACallIsHeldByWhatAndUntilWhen) {
  auto held = request();
  held.mutable_hold()->set_because("unsafe_only");
  held.mutable_hold()->add_roles("approver");
  held.mutable_hold()->set_quorum(2);
  const AuditRowOf made(held);
  EXPECT_EQ(made.row().what, "call_held");
  EXPECT_EQ(made.row().tenant_id, "default");
  EXPECT_EQ(made.row().seq, 0U);
  EXPECT_EQ(made.row().at_us, 7);
  const auto details = parse_json(*made.row().details);
  ASSERT_TRUE(details);
  EXPECT_EQ((*details)["because"], "unsafe_only");
  EXPECT_EQ((*details)["roles"], Json::array({"approver"}));
  EXPECT_EQ((*details)["quorum"], 2);
  EXPECT_EQ((*details)["admission"]["policy"], 3);
}

TEST(AuditRows, SayWhoDecided) {
  auto decided = event();
  decided.mutable_approval_decided()->set_digest("sha256:34");
  decided.mutable_approval_decided()->mutable_hold()->set_quorum(2);
  auto& vote = *decided.mutable_approval_decided()->add_votes();
  vote.set_approve(false);
  vote.set_user_id("checker");
  vote.set_method("jwt");
  vote.set_reason("not today");
  const AuditRowOf made(decided);
  EXPECT_EQ(made.row().what, "call_decided");
  EXPECT_EQ(made.row().user_id, "checker");
  EXPECT_EQ(made.row().method, "jwt");
  EXPECT_EQ(made.row().outcome, "denied");
  EXPECT_EQ(made.row().details,
            R"({"digest":"sha256:34","quorum":2,"approvals":0,"reason":"not today"})");
}

TEST(AuditRows, AreDigestedAsPostgresKeepsThem) {
  v1::AuditRecord record;
  record.set_what("refused");
  record.set_user_id(std::string("a\0b", 3));
  const AuditRowOf made(record);
  EXPECT_EQ(made.row().user_id,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(AuditRows, NeverHaveArgumentsOrResults) {
  const auto ended = completed();
  auto held = request();
  held.mutable_hold()->set_because("x");
  const AuditRowOf end(ended);
  const AuditRowOf hold(held);
  for (const auto* made : {&end, &hold}) {
    std::string text;
    audit::write_canonical(text, made->row());
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
  }
}

Message message(Source source, std::string_view payload) {
  return {source, "subject", payload, 5, 1};
}

TEST(AuditRows, AreMadeOfEndsDecisionsAndHeldCallsAndNothingElse) {
  auto held = request();
  held.mutable_hold()->set_because("x");
  auto released = held;
  released.set_released_at_us(8);
  auto started = event();
  started.mutable_started();
  auto decided = event();
  decided.mutable_approval_decided()->add_votes();
  v1::AuditRecord record;
  record.set_id(std::string(kCall));
  record.set_what("policy_put");
  const std::vector<std::pair<Source, std::string>> messages{
      {Source::kCalls, proto::encode(request())}, {Source::kCalls, proto::encode(held)},
      {Source::kCalls, proto::encode(released)},  {Source::kEvents, proto::encode(started)},
      {Source::kEvents, proto::encode(decided)},  {Source::kEvents, proto::encode(completed())},
      {Source::kAudit, proto::encode(record)}};
  RowBatch batch;
  for (std::size_t i = 0; i < messages.size(); ++i)
    ASSERT_TRUE(batch.add(message(messages[i].first, messages[i].second), i));
  EXPECT_FALSE(batch.add(message(Source::kAudit, "garbage"), messages.size()));
  std::vector<std::size_t> of;
  for (const auto& row : batch.table(Table::kAudit).rows) of.push_back(row.message);
  EXPECT_EQ(of, (std::vector<std::size_t>{1, 4, 5, 6}));
  EXPECT_EQ(batch.table(Table::kCalls).rows.size(), 3U);
  // In an order of their own, the same in every collector.
  batch.sort();
  const auto& rows = batch.table(Table::kAudit).rows;
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &Row::sequence));
}

}  // namespace
}  // namespace toolway::persistence::collector
