#include <csignal>

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
  // On a busy machine one statement may take 100 ms by itself.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool answers = false;
  while (!answers && std::chrono::steady_clock::now() < deadline)
    answers = store->counts(SessionKey::make(), {}).has_value();
  EXPECT_TRUE(answers);
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
