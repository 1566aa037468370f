#include "cli/bench/profile/kept_profile.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

/// One whose gateway, worker and collector take `us` each.
OrderedJson profile(const char* commit, double us, double rate = 1000, unsigned cores = 2) {
  Costs costs;
  for (const auto& role : kRoles) costs[role.name] = {.user_us = us};
  return {{"started_at", "2026-11-21T22:05:00.123Z"},
          {"program", {{"commit", commit}}},
          {"machine", {{"cores", cores}, {"model", "A"}, {"load_before", 0.5}}},
          {"options", {{"rate", rate}}},
          {"servers", {{"nats", "nats-server: v2.10.7"}}},
          {"figures", {{"calls_per_s", 1000}, {"p50", 1.0}, {"p99", 4.0}, {"others", 2.0}}},
          {"per_call", to_json(costs)}};
}

KeptProfile kept(const OrderedJson& json) { return profile_from(json).value(); }

TEST(KeptProfile, IsALineOfAFile) {
  const auto text = profile("a", 100).dump() + "\n\n" + profile("b", 200).dump() + "\n";
  const auto read = read_profiles(text, "x.jsonl");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[1].json["program"]["commit"], "b");
  EXPECT_EQ((*read)[1].costs.at("worker").user_us, 200);
  EXPECT_TRUE(read_profiles("", "x.jsonl")->empty());
}

TEST(KeptProfile, SaysWhichLineIsDamaged) {
  const auto good = profile("a", 100).dump() + "\n";
  auto without = profile("a", 100);
  without["figures"].erase("p99");
  for (const auto& [line, what] :
       {std::pair<std::string, std::string>{good.substr(0, 60), "malformed"},
        {"{}\n", "it has no object `options`"},
        {"[1]\n", "it has no object `options`"},
        {without.dump() + "\n", "it has no figure p99"}}) {
    const auto read = read_profiles(good + line, "x.jsonl");
    ASSERT_FALSE(read) << line;
    const auto& message = read.error().message;
    EXPECT_TRUE(message.starts_with("x.jsonl:2 is not a result of bench --profile")) << message;
    EXPECT_NE(message.find("remove this line"), std::string::npos) << message;
    if (what != "malformed") {
      EXPECT_NE(message.find(what), std::string::npos) << message;
    }
  }
}

TEST(KeptProfile, IsComparedWithTheLastOfItsOptionsAndMachine) {
  std::vector<KeptProfile> all;
  for (const auto& json : {profile("old", 1), profile("new", 1), profile("other rate", 1, 500),
                           profile("other machine", 1, 1000, 8)})
    all.push_back(kept(json));
  const auto now = profile("now", 1);
  const auto* last = last_like(all, now["options"], now["machine"]);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->json["program"]["commit"], "new");
  EXPECT_EQ(last_like(all, {{"rate", 1}}, now["machine"]), nullptr);
  EXPECT_EQ(last_like({}, now["options"], now["machine"]), nullptr);
}

TEST(KeptProfile, SaysHowManyTimesAsMuchItIs) {
  auto json = profile("now", 150);
  json["figures"]["p99"] = 8.0;
  json["servers"]["nats"] = "nats-server: v2.11.0";
  json["figures"]["others"] = 38.4;
  const auto text = compare_profiles(kept(profile("then", 100)), kept(json));
  EXPECT_NE(text.find("compared with 2026-11-21T22:05:00.123Z, commit then:\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  p99: 8.00 ms (was 4.00 ms), 2.00 times\n"), std::string::npos) << text;
  EXPECT_NE(text.find("gateway          1.50  1.50  -"), std::string::npos) << text;
  EXPECT_NE(
      text.find("not the same: nats-server was nats-server: v2.10.7, is nats-server: v2.11.0\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("not the same: other programs took 2 % of the CPU, and take 38 %\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("the kernel was"), std::string::npos) << text;
}

TEST(KeptProfile, MayCostFivePercentMore) {
  const auto before = kept(profile("then", 100));
  const auto costing = [](double us) { return kept(profile("now", us)); };
  EXPECT_TRUE(judge_cost(before, costing(80)).holds);
  EXPECT_TRUE(judge_cost(before, costing(104.9)).holds);
  const auto verdict = judge_cost(before, costing(110));
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.words,
            "gateway, worker and collector took 330.0 us of CPU per call; stored "
            "(2026-11-21T22:05:00.123Z, commit then): 300.0 us; +10.0 %, allowed +5 %");
  // What the others take is none of Toolway's.
  auto servers = profile("now", 100);
  servers["per_call"]["nats"]["user_us"] = 1e6;
  EXPECT_TRUE(judge_cost(before, kept(servers)).holds);
}

}  // namespace
}  // namespace toolway::cli::bench::profile
