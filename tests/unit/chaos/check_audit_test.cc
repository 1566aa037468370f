#include <gtest/gtest.h>

#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

/// A call that was held, approved and ran; one that was not; and what an operator did.
struct AuditedRun {
  Decided decided{.records = {{"call_held", "c1", "chaos.guarded", ""},
                              {"call_decided", "c1", "chaos.guarded", "approved"},
                              {"call_ended", "c1", "chaos.guarded", "succeeded"},
                              {"call_ended", "c2", "bench.echo", "failed"},
                              {"policy_put", "p", "policy", "", "sha256:1"},
                              {"key_created", "x", "k1", ""},
                              {"key_created", "y", "k2", ""},
                              {"key_revoked", "z", "k2", ""}},
                  .decisions = {"c1"},
                  .approvals = {{"c1", "approved"}},
                  .keys = {{"k1", false}, {"k2", true}}};
  std::vector<CallRow> calls{{.call_id = "c1", .outcome = "succeeded"},
                             {.call_id = "c2", .outcome = "failed"},
                             {.call_id = "c3"}};
  OperatorDeeds deeds{.policies = {"sha256:1"}, .keys = {{"k1", false}, {"k2", true}}};
  VerbEnd verified{.status = 0, .output = "8 records in 1 seals: whole"};
  std::uint64_t unsealed = 0;

  std::uint64_t violated() const {
    Verdicts verdicts;
    check_audit({decided, calls, deeds, verified, unsealed}, verdicts);
    EXPECT_GT(verdicts[Property::kSealed].checked, 0U);
    return verdicts[Property::kSealed].violated;
  }
  void drop(std::size_t record) {
    decided.records.erase(decided.records.begin() + static_cast<std::ptrdiff_t>(record));
  }
};

TEST(CheckAudit, FindsNothingWhereAllIsWell) { EXPECT_EQ(AuditedRun().violated(), 0U); }

TEST(CheckAudit, FindsARecordThatIsMissing) {
  for (std::size_t i = 0; i < AuditedRun().decided.records.size(); ++i) {
    AuditedRun run;
    run.drop(i);
    EXPECT_GE(run.violated(), 1U) << i;
  }
}

TEST(CheckAudit, FindsARecordThatIsThereTwice) {
  for (std::size_t i = 0; i < AuditedRun().decided.records.size(); ++i) {
    AuditedRun run;
    run.decided.records.push_back(run.decided.records[i]);
    EXPECT_GE(run.violated(), 1U) << i;
  }
}

TEST(CheckAudit, FindsRecordsOfWhatDidNotHappen) {
  AuditedRun run;
  run.decided.records.push_back({"call_ended", "c3", "bench.echo", "succeeded"});
  EXPECT_EQ(run.violated(), 1U);
  AuditedRun other;
  other.decided.records.push_back({"call_held", "c2", "bench.echo", ""});
  EXPECT_EQ(other.violated(), 1U);
}

TEST(CheckAudit, FindsTablesThatSaySomethingElse) {
  AuditedRun run;
  run.decided.approvals["c1"] = "denied";
  EXPECT_EQ(run.violated(), 1U);
  AuditedRun outcome;
  outcome.decided.records[3].outcome = "succeeded";
  EXPECT_EQ(outcome.violated(), 1U);
  AuditedRun keys;
  keys.decided.keys["k2"] = false;
  EXPECT_EQ(keys.violated(), 1U) << "its revocation is not mirrored";
  keys.decided.keys.clear();
  EXPECT_EQ(keys.violated(), 2U);
}

TEST(CheckAudit, FindsWhatIsNotSealed) {
  AuditedRun run;
  run.unsealed = 1;
  EXPECT_EQ(run.violated(), 1U);
  run.verified.status = 1;
  EXPECT_EQ(run.violated(), 2U);
}

}  // namespace
}  // namespace toolway::chaos
