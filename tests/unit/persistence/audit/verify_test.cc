#include "persistence/audit/verify.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/persistence/audit/sealed_audit.h"

namespace toolway::persistence::audit {
namespace {

using Kind = Finding::Kind;
using Findings = std::vector<Finding>;

TEST(Verify, FindsNothingInWhatIsWhole) {
  SealedAudit audit;
  audit.fill(1000, 37);
  audit.record(1001, 100'001);
  const auto found = audit.verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.records, 1000);
  EXPECT_EQ(found.unsealed, 1);
  EXPECT_EQ(found.uncheckable, 0);
  EXPECT_EQ(found.seals, 28);
  EXPECT_EQ(found.last->number, 28);
}

TEST(Verify, FindsNothingWhereThereIsNothing) {
  const auto found = SealedAudit().verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_FALSE(found.last);
}

/// What was done, and what must be found.
struct Tampering {
  SealedAudit audit;
  Findings expected;
};

std::size_t any(std::mt19937& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

void tamper(Tampering& made, std::mt19937& random) {
  auto& records = made.audit.records;
  const auto i = any(random, records.size());
  auto& record = records[i];
  switch (any(random, 7)) {
    case 0:  // edited, its digest not
      made.expected = {{Kind::kChanged, record.number}};
      record.content = sha256_bytes("other");
      break;
    case 1:  // with its digest
      made.expected = {{Kind::kChanged, record.number}};
      record.content = record.stored = sha256_bytes("other");
      break;
    case 2:  // its digest alone
      made.expected = {{Kind::kChanged, record.number}};
      record.stored = sha256_bytes("other");
      break;
    case 3:
      made.expected = {{Kind::kMissing, record.number}};
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 4:  // another one, where only sealed ones are
      made.expected = {{Kind::kAdded, 5000}};
      made.audit.record(5000, record.xid);
      break;
    case 5: {  // the same once more, under its number or another one
      auto twin = record;
      if (any(random, 2) == 0) twin.number = 6000;
      made.expected = {{Kind::kAdded, twin.number}};
      records.push_back(twin);
      break;
    }
    default: {  // two have changed places
      auto j = any(random, records.size() - 1);
      if (j >= i) ++j;
      made.expected = {{Kind::kMoved, record.number, records[j].number},
                       {Kind::kMoved, records[j].number, record.number}};
      std::ranges::sort(made.expected, {}, &Finding::number);
      std::swap(record.number, records[j].number);
      std::swap(record.xid, records[j].xid);
      break;
    }
  }
}

TEST(Verify, NamesEachOfAThousandEditsDeletionsInsertionsAndSwaps) {
  std::mt19937 random(7);
  SealedAudit whole;
  whole.fill(200, 11);
  for (int i = 0; i < 1000; ++i) {
    Tampering made{whole, {}};
    tamper(made, random);
    const auto found = made.audit.verified();
    ASSERT_EQ(found.findings, made.expected) << i;
    ASSERT_EQ(found.more_findings, 0U);
  }
}

TEST(Verify, NamesAllOfManyAtOnce) {
  SealedAudit audit;
  audit.fill(100, 10);
  auto& records = audit.records;
  records[6].content = sha256_bytes("other");         // 7
  std::swap(records[20].number, records[60].number);  // 21 and 61
  std::swap(records[20].xid, records[60].xid);
  audit.record(200, 1010);
  records.erase(records.begin() + 98);  // 99
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kChanged, 7},
                                                 {Kind::kMoved, 21, 61},
                                                 {Kind::kMoved, 61, 21},
                                                 {Kind::kMissing, 99},
                                                 {Kind::kAdded, 200}}));
}

TEST(Verify, FindsARecordThatWasMovedAfterTheLastSeal) {
  SealedAudit audit;
  audit.fill(20, 10);
  audit.records[4].xid = 200'000;  // as if it were not sealed yet
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kChanged, 5}}));
  audit.records[4].number = 77;
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kMoved, 5, 77}}));
}

TEST(Verify, FindsARecordThatWasMovedWithinItsSeal) {
  SealedAudit audit;
  audit.fill(20, 10);
  ++audit.records[4].xid;
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kChanged, 5}}));
}

TEST(Verify, FindsAnUnsealedRecordThatHasNotTheDigestOfWhatItSays) {
  SealedAudit audit;
  audit.fill(20, 10);
  audit.record(21, 100'001);
  audit.records.back().content = sha256_bytes("other");
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kChanged, 21}}));
}

TEST(Verify, NamesSealsThatAreMissingAndDoesNotBlameTheirRecords) {
  SealedAudit audit;
  audit.fill(100, 10);
  audit.seals.erase(audit.seals.begin() + 3, audit.seals.begin() + 5);
  const auto found = audit.verified();
  EXPECT_EQ(found.findings, (Findings{{Kind::kSealMissing, 4, 5}}));
  EXPECT_EQ(found.uncheckable, 20);
  EXPECT_EQ(found.records, 80);
}

TEST(Verify, NamesASealThatWasChangedAndTrustsNothingThatItSays) {
  SealedAudit audit;
  audit.fill(100, 10);
  audit.seals[3].to_xid = 1'000'000'000;  // would swallow all that follow
  const auto found = audit.verified();
  EXPECT_EQ(found.findings, (Findings{{Kind::kSealChanged, 4}}));
  EXPECT_EQ(found.uncheckable, 10);
  EXPECT_EQ(found.records, 90);
}

TEST(Verify, NamesTheFirstSealsWhenTheyAreCutOff) {
  SealedAudit audit;
  audit.fill(100, 10);
  audit.seals.erase(audit.seals.begin(), audit.seals.begin() + 2);
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kSealMissing, 1, 2}}));
}

TEST(Verify, CannotTellThatTheEndWasCutOffUnlessItWasNoted) {
  SealedAudit audit;
  audit.fill(100, 10);
  const Anchor noted{audit.seals.back().number, audit.seals.back().mac};
  EXPECT_TRUE(audit.verified(noted).findings.empty());
  audit.seals.resize(8);
  audit.records.resize(80);
  EXPECT_TRUE(audit.verified().findings.empty());
  EXPECT_EQ(audit.verified(noted).findings, (Findings{{Kind::kSealMissing, 9, noted.number}}));
}

TEST(Verify, FindsAnEndThatWasMadeAgain) {
  SealedAudit audit;
  audit.fill(100, 10);
  const Anchor noted{8, audit.seals[7].mac};
  auto other = audit;
  other.seals.resize(7);
  other.records[71].stored = other.records[71].content = sha256_bytes("other");
  other.seal(100'000);
  EXPECT_TRUE(other.verified().findings.empty());
  EXPECT_EQ(other.verified(noted).findings, (Findings{{Kind::kSealBroken, 8, 8}}));
  // Put together from two chains.
  audit.seals[7] = other.seals[7];
  const auto mixed = audit.verified();
  ASSERT_FALSE(mixed.findings.empty());
  EXPECT_TRUE(std::ranges::any_of(mixed.findings, [](const Finding& finding) {
    return finding.kind == Kind::kSealBroken && finding.number == 9;
  }));
}

TEST(Verify, TakesWhatRetentionDroppedForGone) {
  SealedAudit audit;
  for (int i = 1; i <= 20; ++i) audit.record(i, static_cast<std::uint64_t>(i), i <= 10 ? 100 : 101);
  audit.seal(6);
  audit.seal(16);  // of both days
  audit.seal(21);
  auto& cut = audit.seal(21, 101);
  cut.first_seal = 2;
  sign(cut, audit.keys);
  audit.records.erase(audit.records.begin(), audit.records.begin() + 10);
  audit.seals.erase(audit.seals.begin());
  const auto found = audit.verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.records, 10);
  EXPECT_EQ(found.kept_from, 101);
  // One of the day that is kept is not excused, nor the next seal.
  audit.records.erase(audit.records.begin());
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kMissing, 11}}));
  audit.seals.erase(audit.seals.begin());
  EXPECT_EQ(audit.verified().findings, (Findings{{Kind::kSealMissing, 2, 2}}));
  // Only the seal that says so excuses what retention has dropped.
  audit.seals.pop_back();
  EXPECT_FALSE(audit.verified().findings.empty());
}

TEST(Verify, NamesRecordsThatWaitTooLongForASeal) {
  constexpr std::int64_t kNow = 100 * kUsPerDay + 600'000'000;
  SealedAudit audit;
  audit.fill(20, 10);
  audit.record(21, 100'001);
  audit.record(22, 100'002);
  EXPECT_TRUE(audit.verified({}, kNow).findings.empty());
  EXPECT_EQ(audit.verified({}, kNow + 1).findings, (Findings{{Kind::kUnsealed, 21, 2}}));
  // All seals were taken out.
  audit.seals.clear();
  const auto found = audit.verified({}, kNow + 1);
  EXPECT_EQ(found.findings, (Findings{{Kind::kUnsealed, 1, 22}}));
  EXPECT_EQ(found.unsealed, 22);
}

TEST(Verify, CountsWhatWasSealedLongAfterItHappened) {
  SealedAudit audit;
  audit.record(1, 1, 98);
  audit.record(2, 2, 99);
  audit.made_at_us = 100 * kUsPerDay;
  audit.seal(3);
  audit.record(3, 3, 100);
  audit.seal(4);
  audit.record(4, 4, 90);
  audit.record(5, 5, 91);
  audit.seal(6);
  auto found = audit.verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.late, 3);
  EXPECT_EQ(found.late_from, 1);
  EXPECT_EQ(found.late_to, 3);
  // What retention has dropped does not count any more.
  audit.seal(6, 99);
  audit.records = {audit.records[1], audit.records[2]};
  found = audit.verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.late, 0);
}

TEST(Verify, SaysWhatItFound) {
  EXPECT_EQ(in_words({Kind::kChanged, 7}), "record 7 is not what was sealed");
  EXPECT_EQ(in_words({Kind::kMoved, 7, 9}), "record 7 was moved: it is now number 9");
  EXPECT_EQ(in_words({Kind::kSealMissing, 4, 4}),
            "seal 4 is missing: its records cannot be checked");
  EXPECT_EQ(in_words({Kind::kUnsealed, 7, 1}),
            "record 7 is older than 10 minutes, and no seal covers it");
}

}  // namespace
}  // namespace toolway::persistence::audit
