#include "cli/bench/profile/cost.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

Costs costs() {
  Costs all;
  for (const auto& role : kRoles)
    all[role.name] = {
        .user_us = 100, .system_us = 50, .voluntary = 2, .involuntary = 1, .system_calls = 10.0};
  return all;
}

TEST(Cost, IsWhatWasUsedByCalls) {
  const auto per_call =
      costs_per_call({{"gateway", {.user_us = 5000, .system_us = 1000, .switches = {20, 5}}}}, 10);
  EXPECT_EQ(per_call.at("gateway").user_us, 500);
  EXPECT_EQ(per_call.at("gateway").system_us, 100);
  EXPECT_EQ(per_call.at("gateway").cpu_us(), 600);
  EXPECT_EQ(per_call.at("gateway").voluntary, 2);
  EXPECT_EQ(per_call.at("gateway").involuntary, 0.5);
  EXPECT_FALSE(per_call.at("gateway").system_calls);
}

TEST(Cost, OfOursIsThatOfGatewayWorkerAndCollector) {
  auto all = costs();
  all["nats"].user_us = 1e6;
  EXPECT_EQ(cost_of_ours(all).cpu_us(), 450);
  EXPECT_EQ(cost_of_ours(all).system_calls, 30);
  all["worker"].system_calls.reset();
  EXPECT_FALSE(cost_of_ours(all).system_calls) << "a sum of what is known of some would mislead";
}

TEST(Cost, IsTheSameAfterItWasKept) {
  auto all = costs();
  all["worker"].system_calls.reset();
  const auto again = costs_from(to_json(all));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(all));
  auto json = to_json(all);
  json["worker"]["user_us"] = "much";
  EXPECT_EQ(costs_from(json).error().message, "it has no number user_us of worker");
  json.erase("worker");
  EXPECT_EQ(costs_from(json).error().message, "it has nothing of worker");
  EXPECT_FALSE(costs_from(OrderedJson::array()));
}

TEST(Cost, IsShownForEachProcessAndTogether) {
  EXPECT_EQ(cost_table(costs()),
            "PER CALL         CPU       USER   SYSTEM  SYSTEM CALLS  VOLUNTARY  INVOLUNTARY\n"
            "gateway          150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "worker           150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "collector        150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "nats-server      150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "postgres         150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "this client      150.0 us  100.0  50.0    10.00         2.00       1.00\n"
            "Toolway's three  450.0 us  300.0  150.0   30.00         6.00       3.00\n"
            "all              900.0 us  600.0  300.0   60.00         12.00      6.00\n");
}

TEST(Cost, HasARatioWhereBothAreKnown) {
  auto now = costs();
  now["gateway"].user_us = 250;
  now["worker"].system_calls.reset();
  auto before = costs();
  before["collector"].involuntary = 0;
  const auto table = ratio_table(before, now);
  EXPECT_NE(table.find("gateway          2.00  2.50  1.00    1.00          1.00       1.00\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("worker           1.00  1.00  1.00    -             1.00       1.00\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("collector        1.00  1.00  1.00    1.00          1.00       -\n"),
            std::string::npos)
      << table;
}

}  // namespace
}  // namespace toolway::cli::bench::profile
