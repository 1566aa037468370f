#include <algorithm>

// What the store says of calls that wait for approval.
#include "proto/approvals.h"
#include "tests/contract/persistence/store_contract.h"

namespace toolway::test {
namespace {

using persistence::store::CallState;

class HeldCallsContract : public StoreReaderContract {
 protected:
  v1::CallRequest held(Script& script) {
    auto call = script.call(R"({"a": 1})");
    // Those of one millisecond would be in no order.
    call.set_call_id(CallId::make(clock_.wall() + std::chrono::milliseconds(10 * ++made_)).text());
    call.mutable_hold()->set_quorum(1);
    call.mutable_hold()->set_expires_at_us(call.submitted_at_us() + 1'000'000);
    script.entries.back().payload = proto::encode(call);
    return call;
  }
  v1::CallEvent asked(Script& script, const v1::CallRequest& call) {
    return script.publish(proto::approval_request(call, "d", clock_.wall()));
  }
  v1::CallEvent decided(Script& script, const v1::CallRequest& call, const v1::CallEvent& last,
                        bool approve) {
    v1::Vote vote;
    vote.set_user_id("bea");
    vote.set_approve(approve);
    return script.publish(proto::approval_decided(call, last, vote, clock_.wall()));
  }
  void released(Script& script, const v1::CallRequest& call, const v1::CallEvent& decision) {
    const auto session = *SessionKey::parse(call.session_key());
    script.entries.push_back(
        {.source = Source::kCalls,
         .subject = proto::call_subject("native", proto::Lane::kNormal, 0, session),
         .payload = proto::encode(proto::released(call, decision)),
         .sequence = script.entries.back().sequence + 1});
  }
  std::vector<std::string> ids_of(const persistence::store::ApprovalFilter& filter,
                                  const std::optional<CallId>& after, std::size_t limit) {
    const auto page = store().held_calls(filter, after, limit);
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> ids;
    for (const auto& row : *page) ids.push_back(row.call.request.call_id());
    return ids;
  }
  std::vector<std::string> waiting(const std::string& tenant = "default",
                                   const std::optional<CallId>& after = std::nullopt,
                                   std::size_t limit = 10) {
    return ids_of({.tenant = tenant, .states = {"waiting"}}, after, limit);
  }
  std::vector<std::string> ended(std::vector<std::string> states,
                                 const std::optional<CallId>& after = std::nullopt,
                                 std::size_t limit = 10) {
    return ids_of({.tenant = "default", .states = std::move(states)}, after, limit);
  }
  void cancelled(Script& script, const v1::CallRequest& call, const v1::CallEvent& last,
                 bool while_held) {
    auto event = proto::event_after(call, &last, clock_.wall());
    event.mutable_cancel_requested()->set_held(while_held);
    script.publish(event);
  }
  std::vector<std::string> in_state(const Script& script, CallState state) {
    const auto page = store().calls_of_session(script.session, state, std::nullopt, 10);
    EXPECT_TRUE(page);
    std::vector<std::string> ids;
    for (const auto& row : *page) ids.push_back(row.call_id);
    return ids;
  }

 private:
  int made_ = 0;
};

using Ids = std::vector<std::string>;

TEST_P(HeldCallsContract, AHeldCallHasAStateOfItsOwn) {
  Script script(clock_);
  const auto call = held(script);
  const auto last = asked(script, call);
  const auto queued = script.call();
  write(script);
  const auto shown = store().call(*CallId::parse(call.call_id()));
  ASSERT_TRUE(shown && *shown);
  EXPECT_TRUE((*shown)->held);
  const auto counts = store().counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->held, 1U);
  EXPECT_EQ(counts->queued, 1U);
  EXPECT_EQ(in_state(script, CallState::kHeld), Ids{call.call_id()});
  EXPECT_EQ(in_state(script, CallState::kQueued), Ids{queued.call_id()});
  const auto manifest = store().manifest(script.session, std::nullopt, 10);
  ASSERT_TRUE(manifest);
  for (const auto& one : *manifest)
    EXPECT_EQ(one.state, one.call_id == call.call_id() ? CallState::kHeld : CallState::kQueued);
  persistence::store::CallFilter filter{.user_id = "ann"};
  filter.state = CallState::kHeld;
  const auto of_user = store().calls_of_user(filter, std::nullopt, 10);
  ASSERT_TRUE(of_user);
  ASSERT_EQ(of_user->size(), 1U);
  EXPECT_EQ(of_user->front().call_id, call.call_id());

  const auto found = store().call_and_log(*CallId::parse(call.call_id()));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->request.arguments(), R"({"a": 1})");
  ASSERT_TRUE((*found)->last);
  EXPECT_EQ(proto::encode(*(*found)->last), proto::encode(last));
  EXPECT_FALSE(*store().call_and_log(CallId::make(clock_.wall())));
}

TEST_P(HeldCallsContract, OnceItIsReleasedItIsAsAnyOther) {
  Script script(clock_);
  const auto call = held(script);
  const auto decision = decided(script, call, asked(script, call), true);
  released(script, call, decision);
  write(script);
  EXPECT_FALSE((*store().call(*CallId::parse(call.call_id())))->held);
  EXPECT_EQ(in_state(script, CallState::kQueued), Ids{call.call_id()});
  EXPECT_TRUE(waiting().empty());
  const auto found = store().call_and_log(*CallId::parse(call.call_id()));
  ASSERT_TRUE(found && *found);
  EXPECT_FALSE(proto::waits_for_approval((*found)->request));
}

TEST_P(HeldCallsContract, TheListHasThoseOfATenantThatHaveNotEnded) {
  Script script(clock_);
  const auto first = held(script);
  const auto ended = held(script);
  script.publish(
      proto::rejected_completion(ended, nullptr, ErrorCode::kApprovalExpired, clock_.wall()));
  const auto second = held(script);
  decided(script, second, asked(script, second), false);
  script.call();
  write(script);
  const Ids both{first.call_id(), second.call_id()};
  EXPECT_EQ(waiting(), both);
  EXPECT_EQ(waiting("default", *CallId::parse(both[0])), Ids{both[1]});
  EXPECT_EQ(waiting("default", std::nullopt, 1), Ids{both[0]});
  EXPECT_TRUE(
      store().held_calls({.tenant = "default", .states = {"waiting"}}, std::nullopt, 1)->more);
  EXPECT_TRUE(waiting("other").empty());
  const auto end = store().call_and_log(*CallId::parse(ended.call_id()));
  EXPECT_TRUE((*end)->last->has_completed());
}

TEST_P(HeldCallsContract, OfADeletedSessionAreNotThere) {
  Script script(clock_);
  const auto waits = held(script);
  const auto denied = held(script);
  decided(script, denied, asked(script, denied), false);
  script.publish(
      proto::rejected_completion(denied, nullptr, ErrorCode::kApprovalDenied, clock_.wall()));
  write(script);
  EXPECT_EQ(waiting(), Ids{waits.call_id()});
  EXPECT_EQ(ended({"denied"}), Ids{denied.call_id()});
  Script deletion(clock_);
  deletion.session = script.session;
  deletion.record(v1::SessionRecord::STATE_DELETED);
  write(deletion);
  EXPECT_TRUE(waiting().empty());
  EXPECT_TRUE(ended({"denied"}).empty());
  EXPECT_FALSE(*store().call_and_log(*CallId::parse(waits.call_id())));
}

TEST_P(HeldCallsContract, WhatBecameOfCallsIsListedByStateNewestFirst) {
  Script script(clock_);
  const auto waits = held(script);
  asked(script, waits);
  const auto approved = held(script);
  const auto decision = decided(script, approved, asked(script, approved), true);
  released(script, approved, decision);
  // What comes after the approval says nothing about it.
  cancelled(script, approved, decision, false);
  const auto denied = held(script);
  const auto denial = decided(script, denied, asked(script, denied), false);
  script.publish(
      proto::rejected_completion(denied, &denial, ErrorCode::kApprovalDenied, clock_.wall()));
  const auto expired = held(script);
  script.publish(
      proto::rejected_completion(expired, nullptr, ErrorCode::kApprovalExpired, clock_.wall()));
  const auto dropped = held(script);
  cancelled(script, dropped, asked(script, dropped), true);
  script.call();
  write(script);

  EXPECT_EQ(ended({"approved"}), Ids{approved.call_id()});
  EXPECT_EQ(ended({"denied"}), Ids{denied.call_id()});
  EXPECT_EQ(ended({"expired"}), Ids{expired.call_id()});
  EXPECT_EQ(ended({"cancelled"}), Ids{dropped.call_id()});
  EXPECT_EQ(ended({"stale"}), Ids{});
  const Ids both{denied.call_id(), approved.call_id()};
  EXPECT_EQ(ended({"approved", "denied"}), both);
  EXPECT_EQ(ended({"approved", "denied"}, std::nullopt, 1), Ids{denied.call_id()});
  EXPECT_EQ(ended({"approved", "denied"}, *CallId::parse(denied.call_id())),
            Ids{approved.call_id()});
  EXPECT_EQ(ids_of({.tenant = "other", .states = {"approved"}}, std::nullopt, 10), Ids{});

  const auto page =
      store().held_calls({.tenant = "default", .states = {"approved", "denied"}}, std::nullopt, 1);
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->more);
  const auto& newest = page->front();
  EXPECT_EQ(newest.state, "denied");
  EXPECT_EQ(newest.decided_at, from_unix_us(denial.time_us()));
  EXPECT_EQ(newest.call.request.arguments(), R"({"a": 1})");
  ASSERT_TRUE(newest.call.last);
  EXPECT_EQ(proto::encode(*newest.call.last), proto::encode(denial)) << "and not how it ended";
}

TEST_P(HeldCallsContract, TheOrderInWhichMessagesAreRecordedDoesNotMatter) {
  Script script(clock_);
  const auto call = held(script);
  const auto denial = decided(script, call, asked(script, call), false);
  script.publish(
      proto::rejected_completion(call, &denial, ErrorCode::kApprovalDenied, clock_.wall()));
  auto entries = script.entries;
  for (const auto place : {3, 2, 1, 0, 2}) {
    Script one(clock_);
    one.entries = {entries[static_cast<std::size_t>(place)]};
    write(one);
  }
  EXPECT_EQ(ended({"denied"}), Ids{call.call_id()});
  EXPECT_TRUE(waiting().empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, HeldCallsContract, kImplementations, name_of);

}  // namespace
}  // namespace toolway::test
