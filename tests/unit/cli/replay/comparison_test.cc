#include "cli/replay/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace toolway::cli::replay {
namespace {

Ending succeeded(const char* result, double ran_ms = 0) {
  return {.call_id = "c", .outcome = "succeeded", .result = Json::parse(result), .ran_ms = ran_ms};
}
Ending failed(const char* code) {
  return {.call_id = "c", .outcome = "failed", .error_code = code};
}
Pair pair_of(Ending recorded, Ending replayed, const char* tool = "a.b") {
  auto differ = differences(recorded, replayed, {});
  return {tool, std::move(recorded), std::move(replayed), std::move(differ)};
}
const Judgement& find(const std::vector<Judgement>& judged, const std::string& name) {
  static const Judgement kNone{"none", "", true};
  const auto found = std::find_if(judged.begin(), judged.end(),
                                  [&](const Judgement& one) { return one.name == name; });
  return found == judged.end() ? kNone : *found;
}
using Texts = std::vector<std::string>;

TEST(ReplayComparison, ResultsAreComparedByValue) {
  EXPECT_EQ(differences(succeeded(R"({"a":1,"b":[1,2]})"), succeeded(R"({"b":[1,2],"a":1.0})"), {}),
            Texts());
  EXPECT_EQ(differences(succeeded(R"({"a":1})"), succeeded(R"({"a":"1"})"), {}),
            Texts{R"(result /a: "1", recorded 1)"});
  EXPECT_EQ(differences(succeeded(R"({"a":1})"), succeeded(R"({})"), {}),
            Texts{"result /a: missing, recorded 1"});
  EXPECT_EQ(differences(succeeded("1"), succeeded("2"), {}), Texts{"result: 2, recorded 1"});
}

TEST(ReplayComparison, AnErrorIsItsCode) {
  EXPECT_EQ(differences(failed("not_found"), failed("not_found"), {}), Texts());
  EXPECT_EQ(differences(failed("not_found"), failed("timeout"), {}),
            Texts{"error: timeout, recorded not_found"});
  EXPECT_EQ(differences(succeeded("1"), failed("timeout"), {}),
            (Texts{"outcome: failed, recorded succeeded", "error: timeout, recorded no error"}));
}

TEST(ReplayComparison, WhatIsIgnoredMayDifferOrBeMissing) {
  const Texts ignored{"/at", "/items/0/id", "/none", "/items/01", "/items/9", "/items/-"};
  EXPECT_EQ(differences(succeeded(R"({"at":1,"items":[{"id":1,"n":2}]})"),
                        succeeded(R"({"items":[{"id":2,"n":2}]})"), ignored),
            Texts());
  EXPECT_EQ(differences(succeeded(R"({"items":[{"id":1,"n":2}]})"),
                        succeeded(R"({"items":[{"id":2,"n":3}]})"), ignored),
            Texts{"result /items/0/n: 3, recorded 2"});
  EXPECT_EQ(differences(succeeded("[1,2]"), succeeded("[9,2]"), Texts{"/0"}), Texts());
}

TEST(ReplayComparison, ManyDifferencesAreCounted) {
  const auto texts = differences(succeeded("[1,2,3,4,5]"), succeeded("[6,7,8,9,10]"), {});
  ASSERT_EQ(texts.size(), 4U);
  EXPECT_EQ(texts.back(), "result: 2 more differences");
}

TEST(ReplayJudgement, AllAsRecordedHolds) {
  const std::vector<Pair> pairs{pair_of(succeeded("1", 100), succeeded("1", 104)),
                                pair_of(failed("x"), failed("x"))};
  for (const auto& one : judge(pairs, nullptr, {})) EXPECT_TRUE(one.holds) << one.name;
}

TEST(ReplayJudgement, OneDifferenceBreaksTheResults) {
  const std::vector<Pair> pairs{pair_of(succeeded("1"), succeeded("2")),
                                pair_of(succeeded("1"), succeeded("1"))};
  const auto judged = judge(pairs, nullptr, {});
  EXPECT_FALSE(find(judged, "results").holds);
  EXPECT_EQ(find(judged, "results").text, "1 of 2 as recorded");
  EXPECT_TRUE(find(judged, "pass rate").holds) << "both succeeded";
}

TEST(ReplayJudgement, FewerSuccessesBreakThePassRate) {
  const std::vector<Pair> pairs{pair_of(succeeded("1"), failed("x"))};
  EXPECT_FALSE(find(judge(pairs, nullptr, {}), "pass rate").holds);
  const std::vector<Pair> better{pair_of(failed("x"), succeeded("1"))};
  EXPECT_TRUE(find(judge(better, nullptr, {}), "pass rate").holds);
}

TEST(ReplayJudgement, TimeMayChangeByTenPercent) {
  const auto judged = [](double recorded, double replayed, Bounds bounds = {}) {
    const std::vector<Pair> pairs{pair_of(succeeded("1", recorded), succeeded("1", replayed))};
    return judge(pairs, nullptr, bounds);
  };
  EXPECT_TRUE(find(judged(1000, 1099), "time").holds);
  EXPECT_FALSE(find(judged(1000, 1101), "time").holds);
  EXPECT_FALSE(find(judged(1000, 899), "time").holds);
  EXPECT_TRUE(find(judged(1, 2.9), "time").holds) << "below what a scheduler makes";
  EXPECT_TRUE(find(judged(1000, 1101, {.time = 20}), "time").holds);
  EXPECT_EQ(find(judged(1000, 5000, {.times = false}), "time").name, "none");
}

TEST(ReplayJudgement, AToolMayBeFivePercentSlower) {
  const std::vector<Pair> pairs{pair_of(succeeded("1", 1000), succeeded("1", 1060), "a.slow"),
                                pair_of(succeeded("1", 9000), succeeded("1", 9000), "a.same"),
                                pair_of(succeeded("1", 1000), succeeded("1", 500), "a.quick")};
  const auto judged = judge(pairs, nullptr, {});
  EXPECT_FALSE(find(judged, "tool a.slow").holds);
  EXPECT_EQ(find(judged, "tool a.same").name, "none");
  EXPECT_EQ(find(judged, "tool a.quick").name, "none");
}

TEST(ReplayJudgement, MemoryIsComparedWithABaseline) {
  const std::vector<Pair> pairs{pair_of(succeeded("1"), succeeded("1"))};
  const auto holds = [&](Memory memory) { return find(judge(pairs, &memory, {}), "memory").holds; };
  EXPECT_TRUE(holds({.kb = 100'000}));
  EXPECT_TRUE(holds({.kb = 119'000, .baseline_kb = 100'000}));
  EXPECT_FALSE(holds({.kb = 121'000, .baseline_kb = 100'000}));
  EXPECT_EQ(find(judge(pairs, nullptr, {}), "memory").name, "none");
}

// The times of a call that ended otherwise would compare two different things.
TEST(ReplayTimes, LeaveOutWhatDiffers) {
  const std::vector<Pair> pairs{pair_of(succeeded("1", 10), succeeded("2", 900)),
                                pair_of(succeeded("1", 20), succeeded("1", 21))};
  const auto times = times_by_tool(pairs).at("a.b");
  EXPECT_EQ(times.calls, 2U);
  EXPECT_EQ(times.differ, 1U);
  EXPECT_EQ(times.recorded_ms, 20);
  EXPECT_EQ(times.replayed_ms, 21);
}

}  // namespace
}  // namespace toolway::cli::replay
