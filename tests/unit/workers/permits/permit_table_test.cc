#include "workers/permits/permit_table.h"

#include <gtest/gtest.h>

#include <set>

#include "bus/topology.h"

namespace toolway::workers::permits {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime kStart{1h};
const PermitAsked kTwo{.limit = "l", .key = "k", .most = 2};

TEST(PermitTable, OffersEachPermitOnceAndNoMore) {
  PermitTable table(7);
  const auto first = table.choose(kTwo, kStart);
  const auto second = table.choose(kTwo, kStart);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((std::set{first->entry, second->entry}), (std::set<std::string>{"k-0", "k-1"}));
  EXPECT_EQ(first->revision, 0U);
  EXPECT_FALSE(table.choose(kTwo, kStart)) << "both are being asked for";
  EXPECT_TRUE(table.full(kTwo, kStart));
  table.answered(first->entry);
  EXPECT_EQ(table.choose(kTwo, kStart)->entry, first->entry);
  EXPECT_TRUE(table.choose({.limit = "l", .key = "other", .most = 1}, kStart));
}

TEST(PermitTable, APermitIsTakenOverItsLastWrite) {
  PermitTable table(0);
  const PermitAsked one{.limit = "l", .key = "k", .most = 1};
  table.heard({"k-0", "w c", 5}, kStart);
  EXPECT_TRUE(table.full(one, kStart));
  table.heard({"k-0", "", 6}, kStart);
  EXPECT_FALSE(table.full(one, kStart));
  EXPECT_EQ(table.choose(one, kStart)->revision, 6U);
  table.answered("k-0");
  table.heard({"k-0", "w c", 5}, kStart);
  EXPECT_FALSE(table.full(one, kStart)) << "heard late";
}

TEST(PermitTable, WhatIsNotRenewedIsFreeAfterHalfAMinute) {
  PermitTable table(0);
  const PermitAsked one{.limit = "l", .key = "k", .most = 1};
  table.heard({"k-0", "w c", 5}, kStart);
  EXPECT_TRUE(table.full(one, kStart + kFreeAfter - 1ms));
  table.heard({"k-0", "w c", 5}, kStart + 20s);
  EXPECT_FALSE(table.full(one, kStart + kFreeAfter)) << "the same write again does not renew it";
  table.heard({"k-0", "w c", 9}, kStart + 29s);
  EXPECT_TRUE(table.full(one, kStart + kFreeAfter)) << "renewed";
  // Read again after a reconnect.
  table.heard_all({{"k-0", "w c", 9}}, kStart + 50s);
  EXPECT_FALSE(table.full(one, kStart + 29s + kFreeAfter));
  EXPECT_EQ(table.choose(one, kStart + 29s + kFreeAfter)->revision, 9U);
  EXPECT_LT(kHolderStopsAfter, kFreeAfter) << "its holder stops before that";
}

TEST(PermitTable, TheWholeBucketReplacesWhatWasKnown) {
  PermitTable table(0);
  table.heard({"k-0", "w c", 90}, kStart);
  table.heard({"k-1", "w d", 91}, kStart);
  EXPECT_TRUE(table.full(kTwo, kStart));
  // Made again: its writes count from 1.
  table.heard_all({{"k-1", "w d", 3}}, kStart);
  const auto free = table.choose(kTwo, kStart);
  ASSERT_TRUE(free);
  EXPECT_EQ(free->entry, "k-0");
  EXPECT_EQ(free->revision, 0U);
  EXPECT_FALSE(table.choose(kTwo, kStart)) << "k-1 is held";
}

TEST(PermitTable, WhatHasLeftTheBucketByItsAgeIsForgotten) {
  PermitTable table(0);
  table.heard({"k-0", "", 5}, kStart);
  table.sweep(kStart + bus::kPermitsAge - 1ms);
  EXPECT_EQ(table.entries(), 1U);
  table.sweep(kStart + bus::kPermitsAge);
  EXPECT_EQ(table.entries(), 0U);
  EXPECT_EQ(table.choose({.limit = "l", .key = "k", .most = 1}, kStart)->revision, 0U);
}

TEST(PermitTable, AWriteThatTheBucketDoesNotHaveIsForgotten) {
  PermitTable table(0);
  table.heard({"k-0", "", 5}, kStart);
  table.absent("k-0");
  EXPECT_EQ(table.choose({.limit = "l", .key = "k", .most = 1}, kStart)->revision, 0U);
}

}  // namespace
}  // namespace toolway::workers::permits
