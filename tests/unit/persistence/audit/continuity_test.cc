#include "persistence/audit/continuity.h"

#include <gtest/gtest.h>

#include "tests/unit/persistence/audit/sealed_audit.h"

namespace toolway::persistence::audit {
namespace {

/// An audit of ten seals, and what a sealer finds that remembers the seal `remembered`.
struct Found {
  explicit Found(std::size_t remembered) {
    audit.fill(100, 11);
    const auto& ours = audit.seals.at(remembered - 1);
    continuity.remembered = Anchor{ours.number, ours.mac};
  }

  std::string answer() {
    if (!audit.seals.empty()) continuity.last = audit.seals.back();
    for (const auto& seal : audit.seals)
      if (seal.number == continuity.remembered->number) continuity.mac = seal.mac;
    const auto held = may_continue(continuity, audit.keys);
    return held ? "" : held.error().message;
  }

  SealedAudit audit;
  Continuity continuity;
};

TEST(Continuity, HoldsWhileTheLastSealIsThere) {
  EXPECT_EQ(Found(10).answer(), "");
  // Another collector has sealed since.
  EXPECT_EQ(Found(4).answer(), "");
}

TEST(Continuity, EndsWithTheSealThatWasMadeLast) {
  Found cut(10);
  cut.audit.seals.resize(7);
  EXPECT_EQ(cut.answer(), "it had 10 seals, and now ends with number 7");
  Found emptied(10);
  emptied.audit.seals.clear();
  EXPECT_EQ(emptied.answer(), "it had 10 seals, and now ends with number 0");
  Found again(10);  // of the same number
  again.audit.seals.back().made_at_us = 7;
  sign(again.audit.seals.back(), again.audit.keys);
  EXPECT_EQ(again.answer(), "seal 10 is not the one that was made");
}

TEST(Continuity, EndsWhereTheRememberedSealIsAnotherOne) {
  Found other(4);
  other.audit.seals[3].mac[0] ^= 1;
  EXPECT_EQ(other.answer(), "seal 4 is not the one that was made");
  Found gone(4);
  gone.audit.seals.erase(gone.audit.seals.begin() + 3);
  EXPECT_EQ(gone.answer(), "seal 4 is not the one that was made");
}

TEST(Continuity, OutlastsRetention) {
  Found dropped(4);
  auto& last = dropped.audit.seals.back();
  last.first_seal = 8;
  sign(last, dropped.audit.keys);
  dropped.audit.seals.erase(dropped.audit.seals.begin(), dropped.audit.seals.begin() + 7);
  EXPECT_EQ(dropped.answer(), "");
}

TEST(Continuity, NeedsALastSealThatWasMadeWithAKey) {
  Found forged(4);
  forged.audit.seals.back().to_xid = 1'000'000'000;
  EXPECT_EQ(forged.answer(), "seal 10 is not what was made");
  forged.continuity.remembered.reset();
  EXPECT_EQ(may_continue(forged.continuity, forged.audit.keys).error().message,
            "seal 10 is not what was made");
  Found same(10);
  same.audit.seals.back().first_seal = 9;
  EXPECT_EQ(same.answer(), "seal 10 is not what was made");
  Found unknown(10);
  unknown.audit.seals.back().key_id = "k9";
  EXPECT_EQ(unknown.answer(),
            "seal 10 was made with key k9, which --seal-keys does not have: add its line after "
            "the first one");
}

TEST(Continuity, SaysNothingWhereNoOneRemembers) {
  SealedAudit audit;
  EXPECT_TRUE(may_continue({}, audit.keys));
  audit.fill(10, 5);
  EXPECT_TRUE(may_continue({.remembered = {}, .last = audit.seals.back(), .mac = {}}, audit.keys));
  EXPECT_TRUE(
      may_continue({.remembered = Anchor{}, .last = audit.seals.back(), .mac = {}}, audit.keys));
}

TEST(AuditAnchor, IsReadAsItWasWritten) {
  const Anchor anchor{812, std::string(32, '\xAF')};
  EXPECT_EQ(parse_anchor(text_of(anchor)), anchor);
  EXPECT_EQ(parse_anchor(text_of(Anchor{})), Anchor{});
  for (const auto* text : {"", "7", "7:", ":", "x:af", "7:af", "00"})
    EXPECT_FALSE(parse_anchor(text)) << text;
  EXPECT_FALSE(parse_anchor("0:" + std::string(64, 'a')));
  EXPECT_FALSE(parse_anchor("7:" + std::string(64, 'g')));
  EXPECT_FALSE(parse_anchor("7:" + std::string(65, 'a')));
}

}  // namespace
}  // namespace toolway::persistence::audit
