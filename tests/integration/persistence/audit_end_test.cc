// What sealers do when the end of the audit is not what they made, on a real Postgres.
#include <fmt/format.h>

#include "bus/answer.h"
#include "monitoring/metric_names.h"
#include "persistence/reaper/sealing.h"
#include "proto/seal_bucket.h"
#include "tests/integration/persistence/audit_fixture.h"

namespace toolway::persistence {
namespace {

class AuditEnd : public AuditFixture {};

// It is asked each second. With a million records it took a second when it read those with seals.
// So few records may as well be read from the table, so that way is closed.
TEST_F(AuditEnd, ItsAgeIsReadWithoutWhatIsSealed) {
  record_calls(2000);
  const auto plan = query(
      fmt::format("ANALYZE audit_log; SET plan_cache_mode = force_generic_plan; "
                  "SET enable_seqscan = off; PREPARE oldest AS {}; EXPLAIN EXECUTE oldest('9')",
                  reaper::oldest_unsealed_statement()));
  EXPECT_NE(plan.find("xid_number_idx"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("pkey"), std::string::npos) << plan;
}

// While no audited call is made, nothing is written.
TEST_F(AuditEnd, IsNotedOnceWhileThereIsNoSeal) {
  const auto running = sealer();
  std::uint64_t noted = 0;
  const auto look = [&] {
    const auto found = bus::answer_of<bus::StreamState>(
        [&](auto handler) { bus_->stream_state(proto::kSealsStream, std::move(handler)); });
    noted = found ? found->last_sequence : 0;
    return noted > 0;
  };
  for (int i = 0; i < 1000 && !look(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // ten rounds
  look();
  EXPECT_EQ(noted, 1U);
}

/// Edits a record and takes out the seals that cover it, with all later ones.
constexpr const char* kRewriteTheEnd =
    "UPDATE audit_log SET user_id = 'bob' WHERE number = 7; "
    "UPDATE audit_log a SET digest = sha256(convert_to(audit_text(a), 'UTF8')) WHERE number = 7; "
    "DELETE FROM audit_seals WHERE number >= 2";

TEST_F(AuditEnd, IsNotSealedAgainAfterItsEndWasRewritten) {
  auto running = sealer();
  for (int i = 1; i <= 3; ++i) {
    record_calls(5);
    await("SELECT coalesce(sum(records), 0) FROM audit_seals", std::to_string(5 * i));
  }
  tamper(kRewriteTheEnd);
  EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "1");
  // Nor by the collector that takes over, …
  running.reset();
  running = sealer();
  EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "1");
  // … nor when all of them are gone.
  tamper("DELETE FROM audit_seals");
  running.reset();
  running = sealer();
  EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "0");
}

TEST_F(AuditEnd, IsNotSealedAfterALastSealThatWasChanged) {
  const auto running = sealer();
  record_calls(5);
  await("SELECT coalesce(sum(records), 0) FROM audit_seals", "5");
  // The next seal would say, with the key, that all of this was dropped.
  tamper("UPDATE audit_seals SET kept_from = now()::date + 1, first_seal = 2");
  record_calls(5);
  EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "1");
}

TEST_F(AuditEnd, IsNotSealedWhileNatsCannotSayWhatWasSealedLast) {
  bus_->disconnect();
  record_calls(5);
  const auto running = sealer();
  EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
  EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "0");
  bus_->reconnect();
  await("SELECT coalesce(sum(records), 0) FROM audit_seals", "5");
}

TEST_F(AuditEnd, IsSealedOnWhereAnOperatorSaysThatTheDatabaseWasPutBack) {
  for (int i = 0; i < 3; ++i) {
    record_calls(5);
    seal_all();
  }
  tamper(kRewriteTheEnd);
  const auto last = verified().last;
  ASSERT_TRUE(last);
  {
    const auto another = sealer(0, audit::Anchor{1, std::string(32, 'x')});
    EXPECT_TRUE(metrics_.reaches(monitoring::kAuditUnsealed, 0.3));
    EXPECT_EQ(query("SELECT count(*) FROM audit_seals"), "1");
  }
  {
    const auto confirmed = sealer(0, last);
    await("SELECT sum(records) FROM audit_seals", "15");
  }
  // Once is enough.
  record_calls(5);
  seal_all();
  tamper("DELETE FROM audit_seals");
  {
    const auto confirmed = sealer(0, audit::Anchor{});
    await("SELECT sum(records) FROM audit_seals", "20");
  }
  EXPECT_TRUE(findings().empty());
}

}  // namespace
}  // namespace toolway::persistence
