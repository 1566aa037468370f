#include "persistence/audit/seal.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/persistence/audit/sealed_audit.h"

namespace toolway::persistence::audit {
namespace {

std::vector<SealEntry> entries() {
  return {{7, 1'000, 20'000, std::string(32, 'a')}, {9, 1'001, 20'001, std::string(32, 'b')}};
}

TEST(Seal, PacksItsEntries) {
  const auto bytes = pack(entries());
  EXPECT_EQ(bytes.size(), 2 * kEntryBytes);
  const auto back = unpack(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, entries());
  EXPECT_FALSE(unpack(bytes.substr(1)));
  EXPECT_EQ(day_text(20'000), "2024-10-04");
}

TEST(Seal, IsBadAfterAnyChange) {
  SealedAudit audit;
  auto good = seal_after(nullptr);
  good.number = 5;
  good.made_at_us = 1;
  good.from_xid = 10;
  good.to_xid = 20;
  cover(good, entries());
  sign(good, audit.keys);
  ASSERT_EQ(check(good, audit.keys), SealState::kGood);
  const std::vector<std::function<void(Seal&)>> changes{[](Seal& seal) { ++seal.number; },
                                                        [](Seal& seal) { seal.previous[3] ^= 1; },
                                                        [](Seal& seal) { ++seal.made_at_us; },
                                                        [](Seal& seal) { --seal.from_xid; },
                                                        [](Seal& seal) { ++seal.to_xid; },
                                                        [](Seal& seal) { --seal.records; },
                                                        [](Seal& seal) { seal.last_day.reset(); },
                                                        [](Seal& seal) { seal.kept_from = 0; },
                                                        [](Seal& seal) { ++seal.first_seal; },
                                                        [](Seal& seal) { seal.entries.resize(kEntryBytes); },
                                                        [](Seal& seal) { seal.entries[30] ^= 1; },
                                                        [](Seal& seal) { seal.mac[0] ^= 1; },
                                                        [](Seal& seal) { seal.mac.clear(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto bad = good;
    changes[i](bad);
    EXPECT_EQ(check(bad, audit.keys), SealState::kChanged) << i;
  }
  good.key_id = "k2";
  EXPECT_EQ(check(good, audit.keys), SealState::kUnknownKey);
}

TEST(Seal, IsCheckedByTheKeyThatMadeItAfterAnotherOneTookOver) {
  SealedAudit audit;
  audit.record(1, 10);
  audit.seal(11);
  audit.keys = *SealKeys::parse("k2 " + std::string(64, '2') + "\nk1 " + std::string(64, '1'));
  audit.record(2, 12);
  EXPECT_EQ(audit.seal(13).key_id, "k2");
  const auto found = audit.verified();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.records, 2);
  audit.keys = *SealKeys::parse("k2 " + std::string(64, '2'));
  const auto without = audit.verified();
  ASSERT_EQ(without.findings.size(), 1U);
  EXPECT_EQ(without.findings[0], (Finding{Finding::Kind::kUnknownKey, 1, 0, "k1"}));
  EXPECT_EQ(without.uncheckable, 1);
}

}  // namespace
}  // namespace toolway::persistence::audit
