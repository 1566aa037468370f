#include "gateway/admission/worker_roster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

using std::chrono::seconds;

v1::WorkerAnnouncement announced(std::string id, std::string pool) {
  v1::WorkerAnnouncement said;
  said.set_worker_id(std::move(id));
  said.set_pool(std::move(pool));
  return said;
}

std::string ids(const std::vector<HeardWorkerPtr>& workers) {
  std::string text;
  for (const auto& worker : workers) text += worker->said.worker_id();
  return text;
}

TEST(Workers, AreListedOfAPoolOrOfAllInTheOrderOfPools) {
  Roster roster;
  const MonotonicTime begin{seconds(100)};
  for (const auto& [id, pool] :
       {std::pair("a", "python"), std::pair("b", "native"), std::pair("c", "python")}) {
    roster.heard(announced(id, pool), begin, {});
  }
  EXPECT_EQ(ids(roster.list(begin, "python")), "ac");
  auto all = roster.list(begin);
  sort_by_pool(all);
  EXPECT_EQ(ids(all), "bac");
}

TEST(Workers, ThoseThatFallSilentAreLeftOut) {
  Roster roster;
  const MonotonicTime begin{seconds(100)};
  auto first = announced("w1", "native");
  const auto second = announced("w2", "native");
  roster.heard(first, begin, {});
  roster.heard(second, begin + seconds(5), {});
  first.set_held(3);
  roster.heard(first, begin + seconds(2), {});
  ASSERT_EQ(roster.list(begin + seconds(12)).size(), 2U);
  EXPECT_EQ(roster.list(begin + seconds(12))[0]->said.held(), 3U);
  const auto left = roster.list(begin + seconds(13));
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0]->said.worker_id(), "w2");
  first.set_worker_id("bad id");
  roster.heard(first, begin + seconds(13), {});
  EXPECT_EQ(roster.list(begin + seconds(13)).size(), 1U);
}

TEST(Workers, AnAnnouncementThatIsNotWellFormedIsIgnored) {
  Roster roster;
  for (const auto& [id, pool] : {std::pair("a b", "native"), std::pair("", "native"),
                                 std::pair("a", "na.tive"), std::pair("a", "")}) {
    roster.heard(announced(id, pool), {}, {});
    EXPECT_TRUE(roster.list({}).empty()) << id << " " << pool;
  }
}

TEST(Workers, OneThatComesAgainIsTheSameInItsNewPool) {
  Roster roster;
  roster.heard(announced("a", "native"), MonotonicTime(seconds(1)), WallTime(seconds(8)));
  roster.heard(announced("a", "python"), MonotonicTime(seconds(2)), WallTime(seconds(9)));
  const auto all = roster.list(MonotonicTime(seconds(2)));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]->said.pool(), "python");
  EXPECT_EQ(all[0]->at, MonotonicTime(seconds(2)));
  EXPECT_EQ(all[0]->wall, WallTime(seconds(9)));
}

TEST(Workers, AFullRosterTakesANewOneOnceAnotherIsGone) {
  Roster roster;
  const MonotonicTime begin{seconds(100)};
  for (std::size_t i = 0; i < Roster::kMaxWorkers; ++i)
    roster.heard(announced(fmt::format("w{}", i), "native"), begin + seconds(i > 0 ? 5 : 0), {});
  roster.heard(announced("late", "late"), begin + seconds(6), {});
  EXPECT_EQ(ids(roster.list(begin + seconds(6), "late")), "") << "there is no room for it";
  roster.heard(announced("w7", "late"), begin + seconds(6), {});
  EXPECT_EQ(ids(roster.list(begin + seconds(6), "late")), "w7") << "it has its place already";
  roster.heard(announced("late", "late"), begin + seconds(11), {});
  EXPECT_EQ(ids(roster.list(begin + seconds(11), "late")), "latew7");
  EXPECT_EQ(roster.list(begin + seconds(11)).size(), Roster::kMaxWorkers);
}

}  // namespace
}  // namespace toolway::gateway::admission
