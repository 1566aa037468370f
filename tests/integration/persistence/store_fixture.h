#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "local/postgres_cluster.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/schema/migrate.h"
#include "persistence/store/postgres_reader.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_dir.h"

namespace toolway::persistence {

/// One Postgres for a suite, an empty database for each test.
class StoreFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<test::TempDir>();
    // Durable, since tests here crash it and count what was committed.
    auto started = local::PostgresCluster::start({.directory = *dir_ / "pg", .durable = true});
    ASSERT_TRUE(started) << started.error().message;
    cluster_ = std::move(*started);
  }
  static void TearDownTestSuite() {
    cluster_.reset();
    dir_.reset();
  }

  void SetUp() override {
    ASSERT_TRUE(cluster_);
    static std::atomic<int> number{0};
    const auto name = fmt::format("test_{}", ++number);
    auto admin = postgres::PgConnection::open(cluster_->url());
    ASSERT_TRUE(admin) << admin.error().message;
    auto made = admin->execute("CREATE DATABASE " + name);
    ASSERT_TRUE(made) << made.error().message;
    auto url = cluster_->url();
    const auto at = url.rfind("/toolway");
    ASSERT_NE(at, std::string::npos);
    url_ = url.replace(at, 8, "/" + name);
  }

  void migrate_now() {
    auto done = schema::migrate(url_);
    ASSERT_TRUE(done) << done.error().message;
  }

  /// All rows, cells separated by |, rows by newlines.
  std::string query(const std::string& sql) {
    auto connection = postgres::PgConnection::open(url_);
    if (!connection) return connection.error().message;
    auto reply = connection->execute(sql);
    if (!reply) return reply.error().message;
    std::string text;
    for (const auto& row : *reply) {
      if (!text.empty()) text += "\n";
      for (const auto& value : row.values())
        text += (&value == row.values().data() ? "" : "|") + test::text_of(value);
    }
    return text;
  }

  std::unique_ptr<store::StoreReader> reader() {
    return store::make_postgres_reader({.url = url_});
  }

  /// Everything that was recorded, except what depends on when: xid and number.
  std::string everything() {
    return query("SELECT call_id, sequence, arguments::text, request FROM calls ORDER BY 1") +
           "\n" + query("SELECT call_id, sequence, type, event FROM call_events ORDER BY 1, 2") +
           "\n" +
           query(
               "SELECT call_id, sequence, outcome, result::text, event FROM completions "
               "ORDER BY 1") +
           "\n" + query("SELECT call_id, time, sequence FROM call_alive ORDER BY 1") + "\n" +
           query("SELECT call_id, attempt, number, md5(data) FROM blobs ORDER BY 1, 2, 3") + "\n" +
           query("SELECT session_key, state, revision, record FROM sessions ORDER BY 1");
  }

  static inline std::unique_ptr<test::TempDir> dir_;
  static inline std::unique_ptr<local::PostgresCluster> cluster_;
  SystemClock clock_;
  std::string url_;
};

/// Messages as gateways and workers publish them, for one session.
class Script {
 public:
  struct Entry {
    collector::Source source;
    std::string subject;
    std::string payload;
    std::uint64_t sequence;
  };

  explicit Script(const Clock& clock) : clock_(clock) {}

  v1::CallRequest call(const std::string& arguments = "{}", const std::string& parent = "") {
    v1::CallRequest call;
    call.set_call_id(CallId::make(clock_.wall()).text());
    call.set_tenant_id("default");
    call.set_user_id("ann");
    call.set_session_key(session.text());
    call.set_session_id("s1");
    call.mutable_labels()->set_tool("now");
    call.mutable_labels()->set_namespace_("time");
    call.mutable_labels()->set_tool_call_id("tc");
    call.set_pool("native");
    call.set_arguments(arguments);
    call.set_submitted_at_us(to_unix_us(clock_.wall()));
    call.set_parent_call_id(parent);
    add(collector::Source::kCalls, proto::call_subject("native", proto::Lane::kNormal, 0, session),
        proto::encode(call));
    return call;
  }

  v1::CallEvent event(const v1::CallRequest& call, unsigned seq) const {
    v1::CallEvent event;
    event.set_call_id(call.call_id());
    event.set_tenant_id(call.tenant_id());
    event.set_user_id(call.user_id());
    event.set_session_key(call.session_key());
    event.set_session_id(call.session_id());
    *event.mutable_labels() = call.labels();
    event.set_attempt(1);
    event.set_seq(seq);
    event.set_time_us(to_unix_us(clock_.wall()));
    event.set_submitted_at_us(call.submitted_at_us());
    return event;
  }

  v1::CallEvent started(const v1::CallRequest& call, unsigned seq = 1) {
    auto started = event(call, seq);
    started.mutable_started()->set_started_at_us(started.time_us());
    return publish(started);
  }

  v1::CallEvent alive(const v1::CallRequest& call, unsigned seq) {
    auto alive = event(call, seq);
    alive.mutable_alive();
    return publish(alive);
  }

  v1::CallEvent retry_at(const v1::CallRequest& call, unsigned seq) {
    auto retry = event(call, seq);
    retry.mutable_retry_at()->set_at_us(retry.time_us() + 60'000'000);
    retry.mutable_retry_at()->set_attempts_left(2);
    return publish(retry);
  }

  v1::CallEvent completed(const v1::CallRequest& call, unsigned seq,
                          const std::string& result = R"({"ok":true})") {
    auto completed = event(call, seq);
    completed.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
    completed.mutable_completed()->set_result(result);
    completed.mutable_completed()->set_started_at_us(completed.time_us());
    return publish(completed);
  }

  void chunk(const v1::CallRequest& call, unsigned attempt, unsigned number, std::string data) {
    v1::BlobChunk chunk;
    chunk.set_call_id(call.call_id());
    chunk.set_tenant_id(call.tenant_id());
    chunk.set_attempt(attempt);
    chunk.set_number(number);
    chunk.set_data(std::move(data));
    add(collector::Source::kBlobs,
        proto::blob_subject(session, *CallId::parse(call.call_id()), number), proto::encode(chunk));
  }

  v1::CallEvent publish(const v1::CallEvent& event) {
    const auto id = CallId::parse(event.call_id());
    add(collector::Source::kEvents, proto::event_subject(session, *id), proto::encode(event));
    return event;
  }

  v1::SessionRecord record(v1::SessionRecord::State state) {
    v1::SessionRecord record;
    record.set_tenant_id("default");
    record.set_user_id("ann");
    record.set_session_id("s1");
    record.set_session_key(session.text());
    record.add_namespaces("time");
    record.set_metadata("{}");
    record.set_state(state);
    record.set_created_at_us(1'800'000'000'000'000);
    record.set_updated_at_us(1'800'000'000'000'000 + static_cast<std::int64_t>(entries.size()));
    add(collector::Source::kSessions,
        proto::bucket_subject(proto::kSessionsBucket,
                              proto::session_bucket_key("default", "ann", "s1")),
        proto::encode(record));
    return record;
  }

  void add(collector::Source source, std::string subject, std::string payload) {
    entries.push_back({source, std::move(subject), std::move(payload), entries.size() + 1});
  }

  std::vector<collector::Message> messages() const {
    std::vector<collector::Message> messages;
    for (const auto& entry : entries) messages.push_back(message(entry));
    return messages;
  }
  static collector::Message message(const Entry& entry) {
    return {entry.source, entry.subject, entry.payload, 1000, entry.sequence};
  }

  SessionKey session = SessionKey::make();
  std::vector<Entry> entries;

 private:
  const Clock& clock_;
};

/// Writes as the collector does, again after contention.
inline collector::WriteReport write_all(collector::BatchWriter& writer,
                                        std::vector<collector::Message> messages) {
  collector::Batch batch(std::move(messages));
  auto written = writer.write(batch);
  while (!written && written.error().failure == postgres::PgFailure::kContention) {
    written = writer.write(batch);
  }
  EXPECT_TRUE(written) << written.error().sqlstate << " " << written.error().message;
  return written.value_or(collector::WriteReport{});
}

}  // namespace toolway::persistence
