// The audit as collectors record it, sealers seal it and readers verify it, on a real Postgres.
#include <algorithm>
#include <random>
#include <thread>

#include "base/json.h"
#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "persistence/audit/audit_reader.h"
#include "persistence/audit/audit_row.h"
#include "persistence/audit/seal_rows.h"
#include "persistence/collector/collector.h"
#include "persistence/reaper/sealer.h"
#include "persistence/reaper/sealing.h"
#include "persistence/specs/spec_table.h"
#include "proto/audit.h"
#include "tests/integration/persistence/audit_fixture.h"

namespace toolway::persistence {
namespace {

using std::chrono::milliseconds;
using Kind = audit::Finding::Kind;

class Audit : public AuditFixture {};

TEST_F(Audit, HasARecordOfEachCallThatEndedWithTheDigestThatPostgresComputes) {
  Script script(clock_);
  auto call = script.call(R"({"secret": "hunter2"})");
  v1::Admission admission;
  admission.set_policy(3);
  admission.add_reasons()->set_because("rule \"x\"\n");
  call.set_admission(admission.SerializeAsString());
  auto ended = script.event(call, 1);
  ended.set_admission(proto::admission_to_tell(call));
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  script.publish(ended);
  auto record = proto::audit_record("policy_put", clock_.wall());
  record.set_user_id(std::string("a\0b", 3));
  record.set_details(R"({"unicode": "é\u0000"})");
  script.add(collector::Source::kAudit, proto::audit_subject("cli"), proto::encode(record));
  collector::BatchWriter writer(url_, clock_);
  EXPECT_TRUE(write_all(writer, script.messages()).dead.empty());
  EXPECT_EQ(query("SELECT what, user_id, outcome FROM audit_log ORDER BY what"),
            "call_ended|ann|succeeded\npolicy_put|a\xEF\xBF\xBD"
            "b|");
  EXPECT_EQ(query("SELECT count(*) FROM audit_log a "
                  "WHERE digest <> sha256(convert_to(audit_text(a), 'UTF8'))"),
            "0");
  EXPECT_EQ(query("SELECT count(*) FROM audit_log a WHERE a::text LIKE '%hunter2%'"), "0");
  seal_all();
  const auto found = verified();
  EXPECT_TRUE(found.findings.empty()) << audit::in_words(found.findings[0]);
  EXPECT_EQ(found.records, 2);
}

TEST_F(Audit, RecordsAChangeOfASpecInItsTransaction) {
  EXPECT_EQ(query("INSERT INTO tool_specs (namespace, name, digest, document, who) "
                  "VALUES ('files', 'remove', 'sha256:1', '{}', 'ann')"),
            "");
  EXPECT_EQ(query("SELECT what, object, user_id, details->>'digest' FROM audit_log"),
            "spec_put|files.remove|ann|sha256:1");
  seal_all();
  EXPECT_EQ(verified().records, 1);
  EXPECT_TRUE(findings().empty());
}

TEST_F(Audit, SaysWhoChangedASpecAndWhatNameTheyGave) {
  auto table = specs::SpecTable::open(url_, {});
  ASSERT_TRUE(table);
  tools::model::Spec spec{.name = "remove", .ns = "files"};
  const specs::SpecCaller op{.tenant_id = "acme", .user_id = "op", .method = "key", .key_id = "k1"};
  const auto put = [&](const char* version, specs::SpecAuthor author) {
    spec.version = version;
    const auto done = table->put(std::vector<specs::PutSpec>{{.spec = spec}}, author);
    EXPECT_TRUE(done) << done.error().message;
    return query(
        "SELECT tenant_id, user_id, method, key_id, details->>'by' FROM audit_log "
        "ORDER BY number DESC LIMIT 1");
  };
  EXPECT_EQ(put("1", {.who = "ap1", .note = {}, .caller = op}), "acme|op|key|k1|ap1");
  EXPECT_EQ(put("2", {.who = "op", .note = {}, .caller = op}), "acme|op|key|k1|");
  // On the same connection: what was said of one change holds for that one.
  EXPECT_EQ(put("3", {.who = "ann", .note = {}}), "default|ann|operator||");
  seal_all();
  EXPECT_EQ(verified().records, 3);
  EXPECT_TRUE(findings().empty());
}

TEST_F(Audit, LetsNothingBeChangedByMistake) {
  record_calls(3);
  seal_all();
  const auto partition = query("SELECT DISTINCT tableoid::regclass::text FROM audit_log");
  for (const auto& sql :
       {std::string("UPDATE audit_log SET outcome = 'failed'"),
        std::string("DELETE FROM audit_log"), std::string("TRUNCATE audit_log"),
        "UPDATE " + partition + " SET outcome = 'failed'", "DELETE FROM " + partition,
        "TRUNCATE " + partition, std::string("UPDATE audit_seals SET number = 9"),
        std::string("DELETE FROM audit_seals"), std::string("TRUNCATE audit_seals")})
    EXPECT_NE(query(sql).find("is only ever added to"), std::string::npos) << sql << query(sql);
  EXPECT_EQ(verified().records, 3);
}

TEST_F(Audit, HoldsTheSameWhateverTheOrderOfBatchesAndHoweverOftenTheyCome) {
  Script script(clock_);
  for (int i = 0; i < 40; ++i) {
    auto call = script.call();
    if (i % 4 == 0) {
      call.mutable_hold()->set_because("rule");
      script.entries.back().payload = proto::encode(call);
    }
    script.completed(call, 1);
  }
  std::mt19937 random(3);
  for (int round = 0; round < 4; ++round) {
    auto messages = script.messages();
    std::shuffle(messages.begin(), messages.end(), random);
    for (auto& message : messages) message.redelivered = round > 1;
    collector::BatchWriter writer(url_, clock_);
    const auto half = messages.begin() + 37;
    write_all(writer, {half, messages.end()});
    write_all(writer, {messages.begin(), half});
  }
  EXPECT_EQ(query("SELECT what, count(*) FROM audit_log GROUP BY 1 ORDER BY 1"),
            "call_ended|40\ncall_held|10");
  seal_all();
  EXPECT_EQ(verified().records, 50);
  EXPECT_TRUE(findings().empty());
}

TEST_F(Audit, IsWholeAfterACollectorWasStoppedInTheMiddle) {
  const auto bus = bus::make_in_memory_bus();
  ASSERT_TRUE(bus->provision(bus::Layout{.pools = {{"native"}}}));
  Script script(clock_);
  for (int i = 0; i < 200; ++i) script.completed(script.call(), 1);
  const auto sealing = sealer();
  for (std::size_t i = 0; i < script.entries.size(); ++i) {
    bus->publish({script.entries[i].subject, script.entries[i].payload}, [](auto) {});
    if (i % 100 != 50) continue;
    bus->quiesce();
    // Each with small batches, and gone after some of them.
    const auto collector = collector::start_collector(
        *bus, metrics_, {.postgres_url = url_, .batch_size = 7, .max_pending = 10});
  }
  bus->quiesce();
  const auto last = collector::start_collector(*bus, metrics_, {.postgres_url = url_});
  await("SELECT count(*) FROM audit_log", "200");
  await("SELECT sum(records) FROM audit_seals", "200");
  EXPECT_EQ(verified().records, 200);
  EXPECT_TRUE(findings().empty());
}

TEST_F(Audit, NeverSealsPastATransactionThatIsStillOpen) {
  auto late = postgres::PgConnection::open(url_);
  ASSERT_TRUE(late);
  ASSERT_TRUE(late->execute("BEGIN"));
  ASSERT_TRUE(late->execute(
      "INSERT INTO tool_specs (namespace, name, digest, document) VALUES ('a', 'b', 'd', '{}')"));
  record_calls(5);
  const auto running = sealer();
  ASSERT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.05));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "0");
  ASSERT_TRUE(late->execute("COMMIT"));
  await("SELECT coalesce(sum(records), 0) FROM audit_seals", "6");
  EXPECT_EQ(verified().records, 6);
  EXPECT_TRUE(findings().empty());
  monitoring::Metrics& metrics = metrics_;
  for (int i = 0; i < 500 && metrics.gauge(monitoring::kAuditUnsealed).value() > 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(metrics.gauge(monitoring::kAuditUnsealed).value(), 0);
}

TEST_F(Audit, KeepsTheRecordsOfOneTransactionInOneSeal) {
  reaper::ElectedConnection connection(url_, {}, reaper::Office::kSealer);
  ASSERT_TRUE(connection.elected());
  record_calls(30);
  record_calls(30);
  const auto first = reaper::sealable(connection, 0, 20);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->entries.size(), 30U);
  EXPECT_TRUE(first->more);
  const auto second = reaper::sealable(connection, first->to_xid, 50);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->entries.size(), 30U);
  EXPECT_FALSE(second->more);
  const auto part = reaper::sealable(connection, 0, 45);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->entries.size(), 30U);
  EXPECT_GT(part->to_xid, part->entries.back().xid);
}

TEST_F(Audit, ContinuesWhereTheSealerBeforeItStopped) {
  for (int i = 0; i < 4; ++i) {
    auto one = sealer();
    auto other = sealer();  // waits for its turn
    record_calls(10);
    await("SELECT coalesce(sum(records), 0) FROM audit_seals", std::to_string(10 + 20 * i));
    one.reset();
    record_calls(10);
    await("SELECT coalesce(sum(records), 0) FROM audit_seals", std::to_string(20 + 20 * i));
  }
  const auto found = verified();
  EXPECT_EQ(found.records, 80);
  EXPECT_TRUE(found.findings.empty());
}

TEST_F(Audit, DoesNotMakeTwoSealsOfOneNumber) {
  reaper::ElectedConnection connection(url_, {}, reaper::Office::kSealer);
  ASSERT_TRUE(connection.elected());
  auto seal = audit::seal_after(nullptr);
  audit::sign(seal, keys_);
  EXPECT_TRUE(reaper::store_seal(connection, seal).value());
  // What a paused sealer writes when it wakes up.
  seal.to_xid = 99;
  audit::sign(seal, keys_);
  EXPECT_FALSE(reaper::store_seal(connection, seal).value());
  EXPECT_EQ(query("SELECT count(*), max(to_xid::text) FROM audit_seals"), "1|0");
}

TEST_F(Audit, NamesWhatWasDoneToIt) {
  record_calls(20);
  record_calls(20);
  seal_all();
  tamper("UPDATE audit_log SET outcome = 'failed' WHERE number = 7");
  EXPECT_EQ(findings(), (std::vector<std::string>{"record 7 is not what was sealed"}));
  tamper("DELETE FROM audit_log WHERE number = 9");
  tamper(
      "INSERT INTO audit_log (at, what, id, digest, xid, number) SELECT at, 'call_ended', "
      "gen_random_uuid(), digest, xid, 1000 FROM audit_log WHERE number = 12");
  tamper(
      "UPDATE audit_log SET number = 22 - number, xid = (SELECT min(xid::text)::xid8 FROM "
      "audit_log) WHERE number IN (10)");
  const auto found = findings();
  ASSERT_GE(found.size(), 4U);
  EXPECT_EQ(found[0], "record 7 is not what was sealed");
  EXPECT_EQ(found[1], "record 9 was sealed and is missing");
  EXPECT_EQ(found[2], "record 10 was moved: it is now number 12");
  EXPECT_EQ(found.back(), "record 1000 was added: no seal covers it");
}

TEST_F(Audit, NamesSealsThatWereTakenOutOrChanged) {
  for (int i = 0; i < 4; ++i) {
    record_calls(5);
    seal_all();
  }
  tamper("UPDATE audit_seals SET made_at = made_at + interval '1 second' WHERE number = 2");
  EXPECT_EQ(
      findings(),
      (std::vector<std::string>{"seal 2 is not what was made: its records cannot be checked"}));
  tamper("DELETE FROM audit_seals WHERE number = 3");
  EXPECT_EQ(findings().back(), "seal 3 is missing: its records cannot be checked");
  const auto noted = verified().last;
  tamper("DELETE FROM audit_seals WHERE number >= 2");
  EXPECT_TRUE(findings().empty());  // the chain alone cannot tell …
  ASSERT_TRUE(noted);
  EXPECT_EQ(audit::in_words(verified(noted).findings.at(0)),  // … what someone noted can
            "seals 2 to 4 are missing: their records cannot be checked");
}

TEST_F(Audit, DropsOldDaysAndTheirSealsAndIsStillWhole) {
  for (const auto* ago : {"400 days", "300 days", "299 days", "0 days"}) {
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(
          query(fmt::format(
              "WITH made AS (SELECT now() - interval '{}' AS at, gen_random_uuid() AS id) "
              "INSERT INTO audit_log (at, what, id, digest) SELECT at, 'test', id, "
              "sha256(convert_to(audit_text(ROW(at, 'test', id, 0, 'default', '', '', '', '', "
              "'', '', '', NULL, NULL, NULL, NULL)::audit_log), 'UTF8')) FROM made",
              ago)),
          "");
    seal_all();
  }
  EXPECT_EQ(query("SELECT make_audit_partitions((now() AT TIME ZONE 'UTC')::date - 300, "
                  "(now() AT TIME ZONE 'UTC')::date - 299)"),
            "2");
  EXPECT_EQ(verified().records, 12);
  const auto seals = std::stoi(query("SELECT count(*) FROM audit_seals"));
  {
    const auto running = sealer(299);
    await("SELECT count(*) FROM audit_log", "6");
  }
  EXPECT_LT(std::stoi(query("SELECT count(*) FROM audit_seals")), seals);
  const auto found = verified();
  EXPECT_TRUE(found.findings.empty()) << audit::in_words(found.findings[0]);
  EXPECT_EQ(found.records, 6);
  EXPECT_TRUE(found.kept_from);
  tamper("DELETE FROM audit_log WHERE number = (SELECT max(number) FROM audit_log)");
  EXPECT_EQ(findings().size(), 1U);
}

TEST_F(Audit, IsNotDroppedWithoutTheKeysThatSealedIt) {
  const auto drop = [&] {
    const auto running = reaper::start_sealer(
        *bus_, metrics_, clock_,
        {.postgres_url = url_, .keys = {}, .keep_days = 30, .every = milliseconds(20)});
    std::this_thread::sleep_for(milliseconds(300));  // nothing tells that nothing was done
  };
  const std::string old =
      "INSERT INTO audit_log (at, what, id, digest) VALUES "
      "(now() - interval '40 days', 'test', gen_random_uuid(), sha256('x'))";
  EXPECT_EQ(query(old), "");
  drop();
  EXPECT_EQ(query("SELECT count(*) FROM audit_log"), "0") << "nothing was sealed yet";
  EXPECT_EQ(query(old), "");
  seal_all();
  drop();
  EXPECT_EQ(query("SELECT count(*) FROM audit_log"), "1");
}

TEST_F(Audit, IsExportedAsLinesOfJson) {
  record_calls(3);
  EXPECT_EQ(query("INSERT INTO tool_specs (namespace, name, digest, document) "
                  "VALUES ('a', 'b', 'd', '{}')"),
            "");
  const auto lines = [&](const audit::ExportFilter& filter) {
    std::vector<std::string> taken;
    auto reader = audit::AuditReader::open(url_);
    EXPECT_TRUE(reader);
    const auto count =
        reader->export_to(filter, [&](std::string_view line) { taken.emplace_back(line); });
    EXPECT_EQ(count.value(), taken.size());
    return taken;
  };
  const auto all = lines({});
  ASSERT_EQ(all.size(), 4U);
  const auto first = parse_json(all[0]);
  ASSERT_TRUE(first) << all[0];
  EXPECT_EQ((*first)["what"], "call_ended");
  EXPECT_EQ((*first)["object"], "time.now");
  EXPECT_EQ((*first)["number"], 1);
  EXPECT_EQ(lines({.since = {}, .until = {}, .tenant = {}, .what = "spec_put"}).size(), 1U);
  EXPECT_EQ(lines({.since = {}, .until = {}, .tenant = "other", .what = {}}).size(), 0U);
  EXPECT_EQ(lines({.since = clock_.wall(), .until = {}, .tenant = {}, .what = {}}).size(), 0U);
  EXPECT_EQ(lines({.since = {}, .until = clock_.wall(), .tenant = {}, .what = {}}).size(), 4U);
}

TEST_F(Audit, SaysWhatToDoWhenTheDatabaseIsOlder) {
  auto admin = postgres::PgConnection::open(url_);
  ASSERT_TRUE(admin->execute("DROP TABLE audit_seals, audit_log CASCADE"));
  auto reader = audit::AuditReader::open(url_);
  ASSERT_TRUE(reader);
  const auto found = reader->verify(keys_, {}, clock_.wall());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("toolway migrate"), std::string::npos);
}

}  // namespace
}  // namespace toolway::persistence
