#include <map>

#include "tests/contract/persistence/store_contract.h"

namespace toolway::test {
namespace {

TEST_P(StoreReaderContract, ShowsACallInEveryState) {
  Script script(clock_);
  const auto queued = script.call(R"({"b": 1, "a":2})");
  const auto running = script.call();
  const auto started = script.started(running);
  const auto done = script.call();
  const auto completed = script.completed(done, 1);
  write(script);
  auto& store = this->store();

  auto call = store.call(*CallId::parse(queued.call_id()));
  ASSERT_TRUE(call && *call);
  EXPECT_EQ((*call)->arguments, R"({"b": 1, "a":2})");
  EXPECT_EQ((*call)->session_id, "s1");
  EXPECT_EQ((*call)->labels.tool(), "now");
  EXPECT_EQ(to_unix_us((*call)->submitted_at), queued.submitted_at_us());
  EXPECT_EQ((*call)->attempt, 0U);
  EXPECT_FALSE((*call)->started_at);

  call = store.call(*CallId::parse(running.call_id()));
  ASSERT_TRUE(call && *call);
  EXPECT_EQ((*call)->attempt, 1U);
  ASSERT_TRUE((*call)->started_at);
  EXPECT_EQ(to_unix_us(*(*call)->started_at), started.time_us());
  EXPECT_FALSE((*call)->completion);

  call = store.call(*CallId::parse(done.call_id()));
  ASSERT_TRUE(call && *call && (*call)->completion);
  EXPECT_EQ(proto::encode(*(*call)->completion), proto::encode(completed));
  EXPECT_EQ(to_unix_us(*(*call)->started_at), completed.completed().started_at_us());

  call = store.call(CallId::make(clock_.wall()));
  ASSERT_TRUE(call);
  EXPECT_FALSE(*call);
}

TEST_P(StoreReaderContract, ShowsACallThatWaitsForItsNextAttemptAsQueued) {
  Script script(clock_);
  const auto call = script.call();
  script.started(call);
  const auto retry = script.retry_at(call, 2);
  write(script);
  auto& store = this->store();
  const auto id = *CallId::parse(call.call_id());
  auto shown = store.call(id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->attempt, 1U);
  EXPECT_FALSE((*shown)->started_at);
  ASSERT_TRUE((*shown)->retry_at);
  EXPECT_EQ(to_unix_us(*(*shown)->retry_at), retry.retry_at().at_us());
  auto counts = store.counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->queued, 1U);
  EXPECT_EQ(counts->running, 0U);
  const auto queued = store.calls_of_session(script.session, persistence::store::CallState::kQueued,
                                             std::nullopt, 10);
  ASSERT_TRUE(queued);
  EXPECT_EQ(queued->size(), 1U);

  Script next(clock_);
  auto second = script.event(call, 3);
  second.set_attempt(2);
  second.mutable_started()->set_started_at_us(second.time_us());
  next.entries.resize(script.entries.size());
  next.publish(second);
  next.entries.erase(next.entries.begin(), next.entries.end() - 1);
  write(next);
  shown = store.call(id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->attempt, 2U);
  EXPECT_FALSE((*shown)->retry_at);
  EXPECT_TRUE((*shown)->started_at);
  counts = store.counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->queued, 0U);
  EXPECT_EQ(counts->running, 1U);
}

TEST_P(StoreReaderContract, AccountsForEveryCallOfASession) {
  Script script(clock_);
  const auto queued = script.call();
  const auto running = script.call();
  script.started(running);
  const auto done = script.call();
  script.completed(done, 1);
  auto failed = script.event(script.call(), 1);
  failed.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  failed.mutable_completed()->mutable_error()->set_code("tool_failed");
  script.publish(failed);
  write(script);
  auto& store = this->store();
  std::map<std::string, persistence::store::ManifestCall> shown;
  std::optional<CallId> after;
  while (true) {
    const auto page = store.manifest(script.session, after, 3);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& call : *page) {
      if (after) {
        EXPECT_GT(call.call_id, after->text());
      }
      shown[call.call_id] = call;
    }
    if (page->size() < 3) break;
    after = *CallId::parse(page->back().call_id);
  }
  ASSERT_EQ(shown.size(), 4U);
  const auto& first = shown[queued.call_id()];
  EXPECT_EQ(first.state, persistence::store::CallState::kQueued);
  EXPECT_EQ(first.labels.SerializeAsString(), queued.labels().SerializeAsString());
  EXPECT_EQ(to_unix_us(first.submitted_at), queued.submitted_at_us());
  EXPECT_FALSE(first.outcome);
  EXPECT_EQ(shown[running.call_id()].state, persistence::store::CallState::kRunning);
  EXPECT_EQ(shown[done.call_id()].state, persistence::store::CallState::kCompleted);
  EXPECT_EQ(shown[done.call_id()].outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(shown[done.call_id()].error_code, "");
  EXPECT_EQ(shown[failed.call_id()].outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(shown[failed.call_id()].error_code, "tool_failed");
}

TEST_P(StoreReaderContract, PagesTheCallsOfASessionNewestFirst) {
  Script script(clock_);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(script.call().call_id());
  std::sort(ids.rbegin(), ids.rend());
  write(script);
  auto& store = this->store();
  auto page =
      store.calls_of_session(script.session, persistence::store::CallState::kAny, std::nullopt, 3);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 3U);
  EXPECT_EQ((*page)[0].call_id, ids[0]);
  const auto last = *CallId::parse((*page)[2].call_id);
  page = store.calls_of_session(script.session, persistence::store::CallState::kAny, last, 3);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[1].call_id, ids[4]);
  page = store.calls_of_session(SessionKey::make(), persistence::store::CallState::kAny,
                                std::nullopt, 3);
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->empty());
}

TEST_P(StoreReaderContract, CountsAndFiltersByState) {
  Script script(clock_);
  script.call();
  const auto running = script.call();
  script.started(running);
  for (int i = 0; i < 3; ++i) {
    const auto call = script.call();
    script.started(call);
    script.completed(call, 2);
  }
  script.record(v1::SessionRecord::STATE_OPEN);
  write(script);
  auto& store = this->store();
  const auto counts = store.counts(script.session, {});
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->queued, 1U);
  EXPECT_EQ(counts->running, 1U);
  EXPECT_EQ(counts->completed, 3U);
  EXPECT_EQ(counts->unread, 3U);
  for (const auto& [state, expected] :
       std::vector<std::pair<persistence::store::CallState, std::size_t>>{
           {persistence::store::CallState::kQueued, 1},
           {persistence::store::CallState::kRunning, 1},
           {persistence::store::CallState::kCompleted, 3}}) {
    const auto calls = store.calls_of_session(script.session, state, std::nullopt, 10);
    ASSERT_TRUE(calls);
    EXPECT_EQ(calls->size(), expected);
  }
  const auto sessions = store.sessions_of_user("default", "ann", std::nullopt, 10);
  ASSERT_TRUE(sessions) << sessions.error().message;
  ASSERT_EQ(sessions->size(), 1U);
  EXPECT_EQ((*sessions)[0].counts.completed, 3U);
  EXPECT_EQ((*sessions)[0].record.session_key(), script.session.text());
  const auto none =
      store.sessions_of_user("default", "ann", from_unix_us(1'800'000'000'000'000), 10);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST_P(StoreReaderContract, ReadsEventsInTheOrderOfTheStream) {
  Script script(clock_);
  const auto first = script.call();
  const auto second = script.call();
  std::vector<v1::CallEvent> events;
  events.push_back(script.started(first, 1));
  events.push_back(script.completed(second, 1));
  script.alive(first, 2);
  events.push_back(script.completed(first, 3));
  write(script);
  auto& store = this->store();
  const auto all = store.events_of_session(script.session, {}, 10);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(proto::encode((*all)[i].event), proto::encode(events[i]));
  }
  const auto rest = store.events_of_session(script.session, (*all)[0].position, 1);
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ((*rest)[0].position, (*all)[1].position);
  const auto of_call = store.events_of_call(*CallId::parse(first.call_id()), {}, 10);
  ASSERT_TRUE(of_call);
  ASSERT_EQ(of_call->size(), 2U);
  EXPECT_TRUE((*of_call)[1].event.has_completed());
}

TEST_P(StoreReaderContract, EndsAPageWhereItsBytesEnd) {
  Script script(clock_);
  for (int i = 0; i < 3; ++i) script.completed(script.call(), 1);
  write(script);
  const persistence::store::PageLimit one_byte(10, 1);
  const auto calls = store().calls_of_session(script.session, persistence::store::CallState::kAny,
                                              std::nullopt, one_byte);
  ASSERT_TRUE(calls) << calls.error().message;
  EXPECT_EQ(calls->size(), 1U);
  EXPECT_TRUE(calls->more);
  EXPECT_EQ(store()
                .mailbox(script.session, {}, one_byte, persistence::store::Parents::kAny)
                .value()
                .size(),
            1U);
  EXPECT_EQ(store().events_of_session(script.session, {}, one_byte).value().size(), 1U);
  const auto all = store().events_of_session(script.session, {}, 3);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 3U);
  EXPECT_FALSE(all->more);
}

TEST_P(StoreReaderContract, FollowsTheNewestRecordOfASession) {
  Script script(clock_);
  script.record(v1::SessionRecord::STATE_OPEN);
  const auto closed = script.record(v1::SessionRecord::STATE_CLOSED);
  write(script);
  const auto found = store().session("", "ann", "s1");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->state(), closed.state());
  EXPECT_FALSE(*store().session("default", "ann", "another"));
  EXPECT_FALSE(*store().session("default", "bob", "s1"));
  EXPECT_EQ(store().sessions_of_user("", "ann", std::nullopt, 10).value().size(), 1U);
}

TEST_P(StoreReaderContract, ADeletedSessionAndItsCallsAreInNoListWhateverIsRecordedLater) {
  Script script(clock_);
  const auto call = script.call();
  script.record(v1::SessionRecord::STATE_OPEN);
  script.record(v1::SessionRecord::STATE_DELETED);
  const auto late = script.call();
  script.completed(late, 1);
  Script next(clock_);  // the next session of that name
  next.entries = std::move(script.entries);
  next.record(v1::SessionRecord::STATE_OPEN);
  const auto shown = next.call();
  write(next);
  const auto found = store().session("", "ann", "s1");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->session_key(), next.session.text());
  EXPECT_EQ(store().sessions_of_user("", "ann", std::nullopt, 10).value().size(), 1U);
  for (const auto& one : {call, late})
    EXPECT_FALSE(store().call(*CallId::parse(one.call_id())).value()) << one.call_id();
  EXPECT_TRUE(store().call(*CallId::parse(shown.call_id())).value());
  const persistence::store::CallFilter filter{.user_id = "ann"};
  const auto listed = store().calls_of_user(filter, std::nullopt, 10);
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().call_id, shown.call_id());
}

TEST_P(StoreReaderContract, OfADeletedSessionTheNewestRecordSaysSo) {
  Script script(clock_);
  script.record(v1::SessionRecord::STATE_OPEN);
  script.record(v1::SessionRecord::STATE_DELETED);
  write(script);
  const auto found = store().session("", "ann", "s1");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->state(), v1::SessionRecord::STATE_DELETED);
  EXPECT_TRUE(store().sessions_of_user("", "ann", std::nullopt, 10).value().empty());
}

TEST_P(StoreReaderContract, KnowsACallByItsNewestPublicationAndItsFirstCompletion) {
  Script script(clock_);
  auto call = script.call();
  const auto first = script.completed(call, 1);
  script.completed(call, 2);
  call.set_publication(1);
  script.add(Source::kCalls, "call", proto::encode(call));
  write(script);
  const auto id = *CallId::parse(call.call_id());
  const auto accepted = store().accepted(id);
  ASSERT_TRUE(accepted) << accepted.error().message;
  ASSERT_TRUE(*accepted);
  EXPECT_EQ((*accepted)->position.sequence, script.entries.size());
  EXPECT_EQ((*accepted)->request.publication(), 1U);
  EXPECT_EQ((*accepted)->request.arguments(), "");
  const auto recorded = store().call(id);
  ASSERT_TRUE(recorded && *recorded && (*recorded)->completion);
  EXPECT_EQ((*recorded)->completion->seq(), first.seq());
  EXPECT_FALSE(*store().accepted(CallId::make(clock_.wall())));
}

TEST_P(StoreReaderContract, KeepsTheChunksOfEveryAttempt) {
  Script script(clock_);
  const auto call = script.call();
  for (const unsigned number : {2U, 0U, 1U, 2U}) script.chunk(call, 2, number, "piece");
  script.chunk(call, 1, 0, "earlier");
  write(script);
  const auto id = *CallId::parse(call.call_id());
  EXPECT_EQ(store().blob_chunks_recorded(id, 2).value(), 3U);
  EXPECT_EQ(store().blob_chunks_recorded(id, 3).value(), 0U);
  const auto pieces = store().blob_chunks(id, 2, 1, 1);
  ASSERT_TRUE(pieces) << pieces.error().message;
  ASSERT_EQ(pieces->size(), 1U);
  EXPECT_EQ(pieces->front().number, 1U);
  EXPECT_EQ(store().blob_chunks(id, 1, 0, 9).value().at(0).data, "earlier");
}

TEST_P(StoreReaderContract, FailsEveryReadOnceGivenUp) {
  Script script(clock_);
  const auto call = script.call();
  write(script);
  EXPECT_TRUE(store().ping());
  store().give_up();
  const auto answer = store().call(*CallId::parse(call.call_id()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kStoreUnavailable);
  EXPECT_FALSE(store().counts(script.session, {}));
  EXPECT_FALSE(store().ping());
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreReaderContract, kImplementations, name_of);

}  // namespace
}  // namespace toolway::test
