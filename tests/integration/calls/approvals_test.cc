// Calls that wait for approval, over two gateways, on real NATS and Postgres.
#include "proto/approvals.h"
#include "extensions/reader/stored_policy.h"
#include "persistence/reaper/reaper.h"
#include "proto/publication.h"
#include "tests/integration/calls/fleet.h"

namespace toolway {
namespace {

using std::chrono::steady_clock;

constexpr const char* kPolicy = R"(
roles:
  agent: {permissions: ["call:sample.*"]}
  approver: {permissions: ["call:sample.*", "approve:sample.*"]}
users:
  - {user: bea, roles: approver}
  - {user: cid, roles: approver}
default_roles: agent
rules:
  - {name: two, tools: "sample.throws", approval: {roles: [approver], quorum: 2}}
  - {name: short, tools: "sample.hangs", approval: {expires_s: 1}}
  - {name: all, approval: always}
)";

class Approvals : public test::Fleet {
 protected:
  void SetUp() override {
    Fleet::SetUp();
    start_collector();
    write_entry(proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
                extensions::reader::encode(
                    {.number = 1, .by = "x", .at = "2026-01-01T00:00:00Z", .text = kPolicy}));
    // In force where the fleet is for those who may read it.
    for (Face* face : {&first_, &second_})
      ask_until(*face, "/v1/tools", [](const auto& answer) { return answer.status == 403; });
  }
  cli::client::HttpAnswer call_as(const std::string& user, const std::string& tool,
                                  const cli::client::HttpClient::Headers& headers = {}) {
    const auto open = ask(first_, "POST", "/v1/sessions",
                          R"({"session_id":"s","namespaces":["sample"]})", {}, user);
    EXPECT_LT(open.status, 300) << open.body;
    return ask(first_, "POST", "/v1/sessions/s/calls", R"({"tool":")" + tool + "\"}", headers,
               user);
  }
  std::string held(const std::string& tool = "counts") {
    const auto answer = call_as("ann", tool);
    EXPECT_EQ(answer.status, 202) << answer.body;
    EXPECT_EQ(text(answer, "status"), "awaiting_approval") << answer.body;
    return text(answer, "call_id");
  }
  /// Over the gateway that did not accept it.
  cli::client::HttpAnswer decide(const std::string& user, const std::string& call,
                                 const std::string& verb, const std::string& body = "{}") {
    return ask(second_, "POST", "/v1/calls/" + call + "/" + verb, body, {}, user);
  }
  std::vector<std::string> waiting(const std::string& user) {
    const auto answer = ask(second_, "GET", "/v1/approvals", {}, {}, user);
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<std::string> calls;
    const auto page = answer.json();
    for (const auto& entry : page["approvals"]) calls.push_back(entry["call_id"]);
    return calls;
  }
  bool is_listed(const std::string& user, const std::string& call) {
    const auto calls = waiting(user);
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  }
  /// Once that is recorded.
  bool becomes_listed(const std::string& user, const std::string& call, bool listed = true) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (is_listed(user, call) != listed) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  /// Asked by its caller.
  OrderedJson shown(const std::string& call, const std::string& more = {}) {
    return ask(first_, "GET", "/v1/calls/" + call + more, {}, {}, "ann").json();
  }
  std::vector<std::string> kinds(const std::string& call) {
    std::vector<std::string> names;
    for (const auto& event : events_on_bus())
      if (event.call_id() == call) names.emplace_back(proto::event_kind_name(event));
    return names;
  }
  std::unique_ptr<persistence::reaper::Reaper> reaper() {
    persistence::reaper::ReaperOptions options{.postgres_url = postgres_->url()};
    options.every = std::chrono::milliseconds(50);
    options.settle = std::chrono::milliseconds(0);
    options.rules.decide_after = std::chrono::milliseconds(100);
    return persistence::reaper::start_reaper(*bus_, *metrics_, clock_, options);
  }
};

using Kinds = std::vector<std::string>;

TEST_F(Approvals, AHeldCallRunsOnceItIsApproved) {
  start_worker();
  const auto call = held();
  EXPECT_EQ(shown(call)["state"], "held");
  const auto explained = shown(call, "/explain");
  EXPECT_EQ(explained["state"], "held");
  EXPECT_EQ(explained["reasons"][0]["code"], "awaiting_approval") << explained;
  const auto counts = ask(first_, "GET", "/v1/sessions/s", {}, {}, "ann").json()["counts"];
  EXPECT_GE(counts["held"], 1) << counts;
  EXPECT_EQ(counts["queued"], 0) << counts;
  EXPECT_TRUE(becomes_listed("bea", call));
  EXPECT_FALSE(is_listed("ann", call));
  EXPECT_EQ(kinds(call), Kinds{"approval_requested"}) << "nothing ran";

  const auto approved = decide("bea", call, "approve", R"({"reason":"seen"})");
  EXPECT_EQ(approved.status, 200) << approved.body;
  EXPECT_EQ(text(approved, "state"), "approved");
  EXPECT_EQ(end_of(call).completed().outcome(), v1::OUTCOME_SUCCEEDED);
  const auto events = kinds(call);
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events[1], "approval_decided");
  const auto twice = decide("cid", call, "approve");
  EXPECT_EQ(twice.status, 409);
  EXPECT_EQ(text(twice, "code"), "approval_decided") << twice.body;
  EXPECT_TRUE(becomes_listed("bea", call, false));
}

TEST_F(Approvals, WhoMayNotDecideDoesNot) {
  const auto call = held();
  const auto own = decide("ann", call, "approve");
  EXPECT_EQ(own.status, 403) << own.body;
  EXPECT_EQ(text(own, "code"), "permission_denied");
  for (const char* verb : {"approve", "deny"}) {
    const auto other = decide("eve", call, verb);
    EXPECT_EQ(other.status, 404) << other.body;
    EXPECT_EQ(text(other, "code"), "unknown_call");
  }
  EXPECT_EQ(decide("bea", CallId::make(clock_.wall()).text(), "approve").status, 404);
  EXPECT_EQ(decide("bea", call, "approve", R"({"resaon":"x"})").status, 422);
  EXPECT_EQ(ask(second_, "GET", "/v1/calls/" + call, {}, {}, "bea").status, 404)
      << "deciding shows no more of it";
  EXPECT_EQ(kinds(call), Kinds{"approval_requested"});
  EXPECT_TRUE(waiting("eve").empty());
}

TEST_F(Approvals, ADenialIsWhatItsCallerReads) {
  start_worker();
  const auto call = held();
  const auto denied = decide("bea", call, "deny", R"({"reason":"not today"})");
  EXPECT_EQ(text(denied, "state"), "denied") << denied.body;
  const auto end = shown(call);
  EXPECT_EQ(end["outcome"], "rejected") << end;
  EXPECT_EQ(end["error"]["code"], "approval_denied");
  EXPECT_EQ(end["error"]["message"], "denied: not today");
  EXPECT_EQ(kinds(call), (Kinds{"approval_requested", "approval_decided", "completed"}));
}

TEST_F(Approvals, WhatBecameOfThemIsListedForThoseWhoMayDecide) {
  start_worker();
  const auto denied = held();
  decide("bea", denied, "deny", R"({"reason":"not today"})");
  const auto approved = held();
  decide("cid", approved, "approve");
  end_of(approved);
  const auto dropped = held();
  ask(first_, "POST", "/v1/calls/" + dropped + "/cancel", "{}", {}, "ann");
  const auto listed = [&](const std::string& user, const std::string& state) {
    auto answer = ask(second_, "GET", "/v1/approvals?state=" + state, {}, {}, user);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  };
  const auto deadline = steady_clock::now() + test::kPatience;
  while (listed("bea", "cancelled")["approvals"].empty() && steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto decided = listed("bea", "decided")["approvals"];
  ASSERT_EQ(decided.size(), 2U) << decided;
  EXPECT_EQ(decided[0]["call_id"], approved) << "newest first";
  EXPECT_EQ(decided[0]["state"], "approved");
  EXPECT_EQ(decided[0]["approvals"][0]["by"], "cid");
  EXPECT_EQ(decided[1]["call_id"], denied);
  EXPECT_EQ(decided[1]["state"], "denied");
  EXPECT_EQ(decided[1]["approvals"][0]["reason"], "not today");
  EXPECT_TRUE(decided[1]["decided_at"].is_string());
  EXPECT_EQ(listed("bea", "cancelled")["approvals"][0]["call_id"], dropped);
  const auto first = listed("bea", "decided&limit=1");
  const auto second = listed("bea", "decided&limit=1&after=" + first.value("next", ""));
  EXPECT_EQ(second["approvals"][0]["call_id"], denied) << first;
  EXPECT_TRUE(listed("bea", "waiting")["approvals"].empty());
  EXPECT_TRUE(listed("ann", "decided")["approvals"].empty()) << "those are the caller's own";
  EXPECT_TRUE(listed("eve", "decided")["approvals"].empty());
  const auto wrong = ask(second_, "GET", "/v1/approvals?state=gone", {}, {}, "bea");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_NE(wrong.body.find("waiting, approved, denied, expired, stale, cancelled"),
            std::string::npos)
      << wrong.body;
}

TEST_F(Approvals, AQuorumOfTwo) {
  start_worker();
  const auto call = held("throws");
  EXPECT_EQ(text(decide("bea", call, "approve"), "state"), "waiting");
  EXPECT_EQ(text(decide("bea", call, "approve"), "code"), "approval_decided");
  EXPECT_EQ(kinds(call), (Kinds{"approval_requested", "approval_decided"}));
  EXPECT_EQ(shown(call)["state"], "held");
  EXPECT_EQ(text(decide("cid", call, "approve"), "state"), "approved");
  EXPECT_EQ(end_of(call).completed().error().code(), "tool_threw") << "it ran";
}

TEST_F(Approvals, ACancelledOneIsNotApproved) {
  start_worker();
  const auto call = held();
  EXPECT_EQ(text(ask(first_, "POST", "/v1/calls/" + call + "/cancel", "{}", {}, "ann"), "state"),
            "cancelled");
  EXPECT_EQ(text(decide("bea", call, "approve"), "code"), "approval_decided");
  EXPECT_EQ(kinds(call), (Kinds{"approval_requested", "cancel_requested", "completed"}));
}

TEST_F(Approvals, AClosedSessionKeepsWhatWaits) {
  const auto call = held();
  const auto closed = ask(first_, "POST", "/v1/sessions/s/close",
                          R"({"pending":"wait","timeout_ms":20000})", {}, "ann");
  EXPECT_EQ(closed.status, 200) << closed.body;
  bool listed = false;
  const auto manifest = closed.json();
  for (const auto& pending : manifest["pending_calls"]) {
    listed = listed || pending["call_id"] == call;
    EXPECT_EQ(pending["state"], "held");
    EXPECT_EQ(pending["timed_out"], false) << "it was not waited for";
  }
  EXPECT_TRUE(listed) << closed.body;
}

/// The reaper ends what no one decides, as those who decide too late are told.
TEST_F(Approvals, WhatNoOneDecidesEnds) {
  const auto reaper = this->reaper();
  const auto call = held("hangs");
  const auto end = end_of(call);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_EQ(end.completed().error().code(), "approval_expired");
  EXPECT_EQ(text(decide("bea", call, "approve"), "code"), "approval_expired");
}

/// A gateway that died after it had accepted the call, and one that died after its decision.
TEST_F(Approvals, WhatAGatewayOwedTheReaperDoes) {
  start_worker();
  auto request = [&] {
    const auto call = held();
    test::Awaited<Result<bus::StoredMessage>> got;
    bus_->next_message(proto::kCallsStream, "call.held.>", 1, bus::ReadFrom::kLeader,
                       got.callback());
    return *proto::decode_call((**got.next()).payload);
  }();
  const auto id = CallId::make(clock_.wall());
  request.set_call_id(id.text());
  request.set_submitted_at_us(to_unix_us(clock_.wall()));
  const auto session = *SessionKey::parse(request.session_key());
  test::Awaited<Result<bus::PubAck>> ack;
  bus_->publish({.subject = proto::held_subject(session), .payload = proto::encode(request)},
                ack.callback());
  ASSERT_TRUE(*ack.next());
  const auto reaper = this->reaper();
  const auto deadline = steady_clock::now() + test::kPatience;
  while (kinds(id.text()).empty() && steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(kinds(id.text()), Kinds{"approval_requested"});
  // The decision alone, without its publication.
  test::Awaited<Result<bus::StoredMessage>> last;
  const auto subject = proto::event_subject(session, id);
  bus_->last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader, last.callback());
  const auto asked = last.next();
  ASSERT_TRUE(asked && *asked);
  v1::Vote vote;
  vote.set_approve(true);
  vote.set_user_id("bea");
  const auto decided = proto::approval_decided(request, *proto::decode_event((*asked)->payload),
                                               vote, clock_.wall());
  test::Awaited<Result<bus::PubAck>> stored;
  bus_->publish(
      {.subject = subject, .payload = proto::encode(decided), .expected_last = (*asked)->sequence},
      stored.callback());
  ASSERT_TRUE(*stored.next());
  EXPECT_EQ(end_of(id.text()).completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

}  // namespace
}  // namespace toolway
