#include <algorithm>
#include <random>
#include <thread>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class BatchWriterTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }

  /// A session with calls in every state.
  void fill(Script& script, int calls) {
    script.record(v1::SessionRecord::STATE_OPEN);
    for (int i = 0; i < calls; ++i) {
      const auto call = script.call(R"({"n":1})");
      if (i % 4 == 0) continue;
      script.started(call);
      script.alive(call, 2);
      script.alive(call, 3);
      if (i % 4 != 1) script.completed(call, 4);
    }
    script.record(v1::SessionRecord::STATE_CLOSED);
  }
  collector::BatchWriter writer_on(const std::string& url) {
    return collector::BatchWriter(url, clock_);
  }
};

TEST_F(BatchWriterTest, GivesTheSameRowsWhenEverythingComesAgain) {
  Script script(clock_);
  fill(script, 40);
  auto writer = writer_on(url_);
  write_all(writer, script.messages());
  const auto once = everything();
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "40");
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "20");
  const auto again = write_all(writer, script.messages());
  EXPECT_TRUE(again.duplicates);
  EXPECT_TRUE(again.dead.empty());
  auto marked = script.messages();
  for (auto& message : marked) message.redelivered = true;
  auto fresh = writer_on(url_);
  write_all(fresh, marked);
  EXPECT_EQ(everything(), once);
}

TEST_F(BatchWriterTest, GivesTheSameRowsInAnyOrder) {
  Script script(clock_);
  fill(script, 40);
  auto writer = writer_on(url_);
  write_all(writer, script.messages());
  const auto in_order = everything();
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(query("TRUNCATE calls, call_events, completions, call_alive, sessions"), "");
    auto shuffled = script.messages();
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (std::size_t at = 0; at < shuffled.size(); at += 7) {
      const auto end = std::min(at + 7, shuffled.size());
      write_all(writer, {shuffled.begin() + static_cast<std::ptrdiff_t>(at),
                         shuffled.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    EXPECT_EQ(everything(), in_order);
  }
  EXPECT_EQ(query("SELECT state FROM sessions"), "closed");
}

TEST_F(BatchWriterTest, SetsPoisonAsideAndKeepsTheRest) {
  Script script(clock_);
  for (int i = 0; i < 20; ++i) {
    const auto call = script.call();
    auto poison = script.event(call, 1);
    poison.set_seq(i == 7 ? 0 : 1);  // no event is number 0
    poison.mutable_started();
    script.publish(poison);
    script.completed(call, 2);
  }
  script.add(collector::Source::kEvents, std::string("event.\xff\0", 8), "not a message");
  auto writer = writer_on(url_);
  const auto report = write_all(writer, script.messages());
  EXPECT_EQ(report.dead.size(), 2U);
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "20");
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "20");
  EXPECT_EQ(query("SELECT count(*) FROM call_events"), "19");
  EXPECT_EQ(query("SELECT stream, sequence FROM dead_events ORDER BY sequence"),
            "EVENTS|23\nEVENTS|61");
  EXPECT_EQ(query("SELECT payload = 'not a message'::bytea FROM dead_events WHERE sequence = 61"),
            "t");
  EXPECT_NE(query("SELECT reason FROM dead_events WHERE sequence = 23").find("call_events_seq"),
            std::string::npos);
  write_all(writer, script.messages());
  EXPECT_EQ(query("SELECT count(*) FROM dead_events"), "2");
}

TEST_F(BatchWriterTest, ReturnsPayloadsByteForByte) {
  const std::vector<std::string> payloads{R"({"nul":"\u0000","lone":"\ud800"})",
                                          "{ \"a\" :1e999999,\n\"a\": 2 }", "no json at all",
                                          std::string("\xff\0\xfe", 3), std::string(100'000, '[')};
  Script script(clock_);
  std::vector<v1::CallRequest> calls;
  std::vector<v1::CallEvent> completions;
  for (const auto& payload : payloads) {
    calls.push_back(script.call(payload));
    completions.push_back(script.completed(calls.back(), 1, payload));
  }
  auto writer = writer_on(url_);
  const auto report = write_all(writer, script.messages());
  EXPECT_TRUE(report.dead.empty());
  const auto store = reader();
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const auto recorded = store->call(*CallId::parse(calls[i].call_id()));
    ASSERT_TRUE(recorded) << recorded.error().message;
    ASSERT_TRUE(*recorded) << i;
    EXPECT_EQ((*recorded)->arguments, payloads[i]);
    ASSERT_TRUE((*recorded)->completion);
    EXPECT_EQ(proto::encode(*(*recorded)->completion), proto::encode(completions[i]));
  }
  EXPECT_EQ(query("SELECT count(*) FROM calls WHERE arguments IS NOT NULL"), "2");
}

TEST_F(BatchWriterTest, SaysWhenACompletionWasCommitted) {
  Script script(clock_);
  const auto call = script.call();
  script.completed(call, 1);
  const auto before = clock_.wall();
  auto writer = writer_on(url_);
  write_all(writer, script.messages());
  const auto store = reader();
  auto recorded = store->call(*CallId::parse(call.call_id()));
  ASSERT_TRUE(recorded && *recorded);
  EXPECT_FALSE((*recorded)->recorded_at);
  EXPECT_TRUE(writer.owes_confirmation());
  ASSERT_TRUE(writer.confirm());
  EXPECT_FALSE(writer.owes_confirmation());
  recorded = store->call(*CallId::parse(call.call_id()));
  ASSERT_TRUE(recorded && *recorded && (*recorded)->recorded_at);
  EXPECT_GE(*(*recorded)->recorded_at, before);
  EXPECT_LE(*(*recorded)->recorded_at, clock_.wall());
}

TEST_F(BatchWriterTest, LetsTheNextBatchBePreparedBeforeThisOneIsCommitted) {
  // The COMMIT waits for a lock that only `while_finishing` gives back.
  query(
      "CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$; "
      "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON calls DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION wait_here()");
  auto blocking = postgres::PgConnection::open(url_);
  ASSERT_TRUE(blocking);
  ASSERT_TRUE(blocking->execute("SELECT pg_advisory_lock(7)::text"));
  Script script(clock_);
  fill(script, 8);
  auto writer = writer_on(url_);
  std::string recorded_so_far;
  collector::Batch batch(script.messages());
  const auto written = writer.write(batch, [&] {
    recorded_so_far = query("SELECT count(*) FROM calls");
    EXPECT_TRUE(blocking->execute("SELECT pg_advisory_unlock(7)::text"));
  });
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(recorded_so_far, "0");
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "8");
}

TEST_F(BatchWriterTest, SharesItsRowsWithOthersAtOnce) {
  Script script(clock_);
  fill(script, 200);
  auto alone = writer_on(url_);
  write_all(alone, script.messages());
  const auto expected = everything();
  EXPECT_EQ(query("TRUNCATE calls, call_events, completions, call_alive, sessions"), "");
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      collector::BatchWriter writer(url_, clock_);
      auto mine = script.messages();
      std::mt19937 random(seed);
      std::shuffle(mine.begin(), mine.end(), random);
      for (std::size_t at = 0; at < mine.size(); at += 100) {
        const auto end = std::min(at + 100, mine.size());
        const auto report = write_all(writer, {mine.begin() + static_cast<std::ptrdiff_t>(at),
                                               mine.begin() + static_cast<std::ptrdiff_t>(end)});
        EXPECT_TRUE(report.dead.empty());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(everything(), expected);
}

class Partitions : public BatchWriterTest {};

TEST_F(Partitions, AreMadeAheadOfTime) {
  auto writer = writer_on(url_);
  ASSERT_TRUE(writer.make_partitions());
  ASSERT_TRUE(writer.make_partitions());
  EXPECT_EQ(query("SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname IN "
                  "(SELECT 'completions_' || to_char((now() AT TIME ZONE 'UTC')::date + d, "
                  "'YYYYMMDD') FROM generate_series(0, 3) d)"),
            "4");
}

TEST_F(Partitions, TakeTheRowsThatCameBeforeThem) {
  Script script(clock_);
  const auto call = script.call();
  auto early = call;
  early.set_call_id(CallId::make(from_unix_us(1'700'000'000'000'000)).text());  // 2023-11-14
  script.add(collector::Source::kCalls, "call", proto::encode(early));
  auto writer = writer_on(url_);
  write_all(writer, script.messages());
  EXPECT_EQ(query("SELECT count(*) FROM calls_default"), "1");
  EXPECT_EQ(query("SELECT make_partitions('2023-11-13', '2023-11-15')"), "12");
  EXPECT_EQ(query("SELECT count(*) FROM calls_default"), "0");
  EXPECT_EQ(query("SELECT call_id FROM calls_20231114"), early.call_id());
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "2");
  const auto again = write_all(writer, script.messages());
  EXPECT_TRUE(again.duplicates);
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "2");
  EXPECT_EQ(query("SELECT drop_partitions_before('2023-11-14')"), "4");
  ASSERT_TRUE(writer.drop_partitions(30'000));
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "2");
  ASSERT_TRUE(writer.drop_partitions(30));
  EXPECT_EQ(query("SELECT call_id FROM calls"), call.call_id());
}

}  // namespace
}  // namespace toolway::persistence
