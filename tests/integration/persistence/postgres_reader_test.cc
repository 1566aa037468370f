#include <csignal>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class PostgresReaderTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }
  void write(const Script& script) {
    collector::BatchWriter writer(url_, clock_);
    const auto report = write_all(writer, script.messages());
    EXPECT_TRUE(report.dead.empty());
  }
};

TEST_F(PostgresReaderTest, ShowsACallInEveryState) {
  Script script(clock_);
  const auto queued = script.call(R"({"b": 1, "a":2})");
  const auto running = script.call();
  const auto started = script.started(running);
  const auto done = script.call();
  const auto completed = script.completed(done, 1);
  write(script);
  const auto store = reader();

  auto call = store->call(*CallId::parse(queued.call_id()));
  ASSERT_TRUE(call && *call);
  EXPECT_EQ((*call)->arguments, R"({"b": 1, "a":2})");
  EXPECT_EQ((*call)->session_id, "s1");
  EXPECT_EQ((*call)->labels.tool(), "now");
  EXPECT_EQ(to_unix_us((*call)->submitted_at), queued.submitted_at_us());
  EXPECT_EQ((*call)->attempt, 0U);
  EXPECT_FALSE((*call)->started_at);

  call = store->call(*CallId::parse(running.call_id()));
  ASSERT_TRUE(call && *call);
  EXPECT_EQ((*call)->attempt, 1U);
  ASSERT_TRUE((*call)->started_at);
  EXPECT_EQ(to_unix_us(*(*call)->started_at), started.time_us());
  EXPECT_FALSE((*call)->completion);

  call = store->call(*CallId::parse(done.call_id()));
  ASSERT_TRUE(call && *call && (*call)->completion);
  EXPECT_EQ(proto::encode(*(*call)->completion), proto::encode(completed));
  EXPECT_EQ(to_unix_us(*(*call)->started_at), completed.completed().started_at_us());

  call = store->call(CallId::make(clock_.wall()));
  ASSERT_TRUE(call);
  EXPECT_FALSE(*call);
}

TEST_F(PostgresReaderTest, ShowsACallThatWaitsForItsNextAttemptAsQueued) {
  Script script(clock_);
  const auto call = script.call();
  script.started(call);
  const auto retry = script.retry_at(call, 2);
  write(script);
  const auto store = reader();
  const auto id = *CallId::parse(call.call_id());
  auto shown = store->call(id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->attempt, 1U);
  EXPECT_FALSE((*shown)->started_at);
  ASSERT_TRUE((*shown)->retry_at);
  EXPECT_EQ(to_unix_us(*(*shown)->retry_at), retry.retry_at().at_us());
  auto counts = store->counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->queued, 1U);
  EXPECT_EQ(counts->running, 0U);
  const auto queued =
      store->calls_of_session(script.session, store::CallState::kQueued, std::nullopt, 10);
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
  shown = store->call(id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->attempt, 2U);
  EXPECT_FALSE((*shown)->retry_at);
  EXPECT_TRUE((*shown)->started_at);
  counts = store->counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->queued, 0U);
  EXPECT_EQ(counts->running, 1U);
}

TEST_F(PostgresReaderTest, AccountsForEveryCallOfASession) {
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
  const auto store = reader();
  std::map<std::string, store::ManifestCall> shown;
  std::optional<CallId> after;
  while (true) {
    const auto page = store->manifest(script.session, after, 3);
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
  EXPECT_EQ(first.state, store::CallState::kQueued);
  EXPECT_EQ(first.labels.SerializeAsString(), queued.labels().SerializeAsString());
  EXPECT_EQ(to_unix_us(first.submitted_at), queued.submitted_at_us());
  EXPECT_FALSE(first.outcome);
  EXPECT_EQ(shown[running.call_id()].state, store::CallState::kRunning);
  EXPECT_EQ(shown[done.call_id()].state, store::CallState::kCompleted);
  EXPECT_EQ(shown[done.call_id()].outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(shown[done.call_id()].error_code, "");
  EXPECT_EQ(shown[failed.call_id()].outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(shown[failed.call_id()].error_code, "tool_failed");
}

TEST_F(PostgresReaderTest, PagesTheCallsOfASessionNewestFirst) {
  Script script(clock_);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(script.call().call_id());
  std::sort(ids.rbegin(), ids.rend());
  write(script);
  const auto store = reader();
  auto page = store->calls_of_session(script.session, store::CallState::kAny, std::nullopt, 3);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 3U);
  EXPECT_EQ((*page)[0].call_id, ids[0]);
  const auto last = *CallId::parse((*page)[2].call_id);
  page = store->calls_of_session(script.session, store::CallState::kAny, last, 3);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[1].call_id, ids[4]);
  page = store->calls_of_session(SessionKey::make(), store::CallState::kAny, std::nullopt, 3);
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->empty());
}

TEST_F(PostgresReaderTest, CountsAndFiltersByState) {
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
  const auto store = reader();
  const auto counts = store->counts(script.session, {});
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->queued, 1U);
  EXPECT_EQ(counts->running, 1U);
  EXPECT_EQ(counts->completed, 3U);
  EXPECT_EQ(counts->unread, 3U);
  for (const auto& [state, expected] :
       std::vector<std::pair<store::CallState, std::size_t>>{{store::CallState::kQueued, 1},
                                                             {store::CallState::kRunning, 1},
                                                             {store::CallState::kCompleted, 3}}) {
    const auto calls = store->calls_of_session(script.session, state, std::nullopt, 10);
    ASSERT_TRUE(calls);
    EXPECT_EQ(calls->size(), expected);
  }
  const auto sessions = store->sessions_of_user("default", "ann", std::nullopt, 10);
  ASSERT_TRUE(sessions) << sessions.error().message;
  ASSERT_EQ(sessions->size(), 1U);
  EXPECT_EQ((*sessions)[0].counts.completed, 3U);
  EXPECT_EQ((*sessions)[0].record.session_key(), script.session.text());
  const auto none =
      store->sessions_of_user("default", "ann", from_unix_us(1'800'000'000'000'000), 10);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST_F(PostgresReaderTest, ReadsEventsInTheOrderOfTheStream) {
  Script script(clock_);
  const auto first = script.call();
  const auto second = script.call();
  std::vector<v1::CallEvent> events;
  events.push_back(script.started(first, 1));
  events.push_back(script.completed(second, 1));
  script.alive(first, 2);
  events.push_back(script.completed(first, 3));
  write(script);
  const auto store = reader();
  const auto all = store->events_of_session(script.session, {}, 10);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(proto::encode((*all)[i].event), proto::encode(events[i]));
  }
  const auto rest = store->events_of_session(script.session, (*all)[0].position, 1);
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ((*rest)[0].position, (*all)[1].position);
  const auto of_call = store->events_of_call(*CallId::parse(first.call_id()), {}, 10);
  ASSERT_TRUE(of_call);
  ASSERT_EQ(of_call->size(), 2U);
  EXPECT_TRUE((*of_call)[1].event.has_completed());
}

TEST_F(PostgresReaderTest, AnswersAtOnceWhileAwayAndAgainAfterwards) {
  const auto store = reader();
  ASSERT_TRUE(store->ping());
  cluster_->stop(SIGQUIT);
  const auto begun = std::chrono::steady_clock::now();
  const auto away = store->ping();
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, ErrorCode::kStoreUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  ASSERT_TRUE(cluster_->restart());
  EXPECT_TRUE(store->ping());
}

TEST_F(PostgresReaderTest, GivesUpOnASlowStatement) {
  auto blocker = postgres::PgConnection::open(url_);
  ASSERT_TRUE(blocker);
  ASSERT_TRUE(blocker->execute("BEGIN; LOCK TABLE calls IN ACCESS EXCLUSIVE MODE"));
  const auto store = store::make_postgres_reader(
      {.url = url_, .statement_timeout = std::chrono::milliseconds(100)});
  const auto counts = store->counts(SessionKey::make(), {});
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, ErrorCode::kStoreUnavailable);
  ASSERT_TRUE(blocker->execute("ROLLBACK"));
  EXPECT_TRUE(store->counts(SessionKey::make(), {}));
}

TEST_F(PostgresReaderTest, ShowsSessionsAsTheViewDoes) {
  Script script(clock_);
  script.record(v1::SessionRecord::STATE_OPEN);
  script.completed(script.call(), 1, R"({"nul":"\u0000"})");
  auto failed = script.event(script.call(), 1);
  failed.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  failed.mutable_completed()->mutable_error()->set_code("tool_failed");
  failed.mutable_completed()->mutable_error()->set_message("no");
  script.publish(failed);
  script.completed(script.call(), 1, R"({"n":1})");
  write(script);
  EXPECT_EQ(query("SELECT string_agg(column_name, ',' ORDER BY ordinal_position) "
                  "FROM information_schema.columns WHERE table_name = 'session_tool_state'"),
            "session_id,user_id,namespace,tool_results,last_updated,created_at");
  const auto shown = query("SELECT tool_results FROM session_tool_state WHERE session_id = 's1'");
  const auto state = nlohmann::json::parse(shown, nullptr, false);
  ASSERT_TRUE(state.is_object()) << shown;
  EXPECT_EQ(state["namespace"], "time");
  EXPECT_EQ(state["available_tools"], nlohmann::json({"now"}));
  const auto& calls = state["completed_calls"];
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0]["result"]["Ok"], R"({"nul":"\u0000"})");
  EXPECT_EQ(calls[0]["metadata"]["id"], "tc");
  EXPECT_EQ(calls[1]["result"]["Err"]["code"], "tool_failed");
  EXPECT_EQ(calls[2]["result"]["Ok"]["n"], 1);
  // One that sees every namespace is shown with those of its calls.
  query("UPDATE sessions SET namespaces = '{*}'");
  EXPECT_EQ(nlohmann::json::parse(
                query("SELECT tool_results FROM session_tool_state WHERE session_id = 's1'"),
                nullptr, false),
            state);
}

class Unmigrated : public StoreFixture {};

TEST_F(Unmigrated, IsNotReady) {
  const auto answer = reader()->ping();
  ASSERT_FALSE(answer);
  // It answers: what lacks is not Postgres.
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
  EXPECT_NE(answer.error().message.find("migrate"), std::string::npos);
}

}  // namespace
}  // namespace toolway::persistence
