#include "cli/client/top_view.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

OrderedJson json(const char* text) { return *parse_ordered_json(text); }

constexpr const char* kWorkers = R"({"workers":[
  {"pool":"native","slots":8,"held":8,"paused":false,"draining":false},
  {"pool":"native","slots":8,"held":1,"paused":false,"draining":true},
  {"pool":"http","slots":128,"held":0,"paused":true,"draining":false}]})";
constexpr const char* kMetrics =
    "# HELP toolway_queue_depth of calls\n"
    "toolway_queue_depth{pool=\"native\",state=\"held\"} 9\n"
    "toolway_queue_depth{pool=\"native\",state=\"pending\"} 40\n"
    "toolway_queue_depth{pool=\"orphan\",state=\"pending\"} 2\n"
    "toolway_queue_oldest_seconds{lane=\"bulk\",pool=\"native\"} 5";
constexpr const char* kCalls = R"([
  {"namespace":"shop","tool":"refund","outcome":"failed","ran_ms":900.0},
  {"namespace":"time","tool":"now","outcome":"succeeded","ran_ms":0.2},
  {"namespace":"time","tool":"now","outcome":"succeeded","ran_ms":0.4},
  {"namespace":"time","tool":"now","outcome":"succeeded","ran_ms":0.3},
  {"namespace":"time","tool":"now","outcome":null,"ran_ms":null}])";

TEST(TopView, AddsUpTheWorkersAndQueuesOfAPool) {
  const auto pools = pool_loads(json(kWorkers), kMetrics);
  ASSERT_EQ(pools.size(), 3U);
  const auto& native = pools.at("native");
  EXPECT_EQ(native.workers, 2U);
  EXPECT_EQ(native.slots, 16U);
  EXPECT_EQ(native.held, 9U);
  EXPECT_EQ(native.paused, 1U);
  EXPECT_EQ(native.waiting, 40);
  EXPECT_EQ(pools.at("http").paused, 1U);
  EXPECT_EQ(pools.at("orphan").waiting, 2) << "a queue without a worker";
  EXPECT_EQ(pools.at("orphan").workers, 0U);
}

TEST(TopView, ShowsTheSlowestToolsFirst) {
  const auto tools = tool_loads(json(kCalls));
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(tools[0].tool, "shop.refund");
  EXPECT_EQ(tools[0].not_succeeded, 1U);
  EXPECT_EQ(tools[1].calls, 4U);
  EXPECT_EQ(tools[1].open, 1U);
  EXPECT_EQ(tools[1].median_ms, 0.3);
  EXPECT_EQ(tools[1].longest_ms, 0.4);
}

TEST(TopView, SaysTheRateOfTheTimeItLooksAt) {
  TopAnswers answers{.workers = json(kWorkers), .calls = {}, .metrics = kMetrics, .seconds = 10};
  answers.calls["calls"] = json(kCalls);
  answers.calls["next"] = nullptr;
  auto text = top_text(answers, {});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "Your calls, last 10 s: 5, 0.5/s, 1 open, 1 not succeeded");
  answers.calls["next"] = "cursor";
  text = top_text(answers, {});
  EXPECT_EQ(text.substr(0, text.find(',')), "Your calls");
  EXPECT_NE(text.find("more than 5, more than 0.5/s"), std::string::npos) << text;
}

}  // namespace
}  // namespace toolway::cli::client
