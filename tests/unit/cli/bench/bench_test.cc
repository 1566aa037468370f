#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/bench/bench_scenario.h"
#include "cli/bench/recorded.h"
#include "cli/bench/wire.h"

namespace toolway::cli {
namespace {

TEST(BenchScenario, AClosedLoopHasSoManyRequestsAtOnce) {
  const auto at_once = [](const BenchOptions& options) {
    const auto scenario = scenario_of(options);
    EXPECT_EQ(scenario.groups.size(), 1U);
    const auto& group = scenario.groups.front();
    EXPECT_EQ(group.pace, Pace::kConcurrency);
    EXPECT_EQ(group.stages.size(), 1U);
    EXPECT_EQ(group.stages.front().from, group.stages.front().to);
    return group.stages.front().from;
  };
  EXPECT_EQ(at_once({}), 192);
  EXPECT_EQ(at_once({.batch = 20}), 40);
  EXPECT_EQ(at_once({.concurrency = 7}), 7);
}

TEST(BenchScenario, AnOpenLoopIsDueAtItsRate) {
  const auto group = scenario_of({.rate = 500}).groups.front();
  EXPECT_EQ(group.pace, Pace::kRate);
  EXPECT_EQ(group.stages.front().from, 500);
  EXPECT_EQ(group.stages.front().to, 500);
  EXPECT_EQ(group.connections, 256U);
  EXPECT_EQ(scenario_of({.concurrency = 8, .rate = 500}).groups.front().connections, 8U);
}

TEST(BenchScenario, LastsForItsSecondsOrUntilItsCallsAreMade) {
  EXPECT_EQ(scenario_of({}).seconds(), 10);
  EXPECT_EQ(scenario_of({.seconds = 3}).seconds(), 3);
  EXPECT_EQ(scenario_of({.calls = 50, .seconds = 3}).seconds(), 3);
  EXPECT_EQ(scenario_of({.calls = 50}).groups.front().most, 50U);
  EXPECT_GT(scenario_of({.calls = 50}).seconds(), 1e6);
}

TEST(Wire, TakesAnAnswerOnlyWhenItIsWhole) {
  const std::string answer = "HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\nX: y\r\n\r\nhello";
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_EQ(parse_answer(answer.substr(0, size)).size, 0U) << size;
  const auto text = answer + "HTTP/1.1";
  const auto parsed = parse_answer(text);
  EXPECT_EQ(parsed.status, 202);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_EQ(parsed.size, answer.size());
}

TEST(Wire, FindsFieldsInOrder) {
  const std::string json = R"({"calls":[{"call_id":"a"},{"call_id": "b"}]})";
  std::size_t at = 0;
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "a");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "b");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "");
}

TEST(Wire, ReadsChunkedEventsCutAnywhere) {
  const std::string first = "id: 1-5\nevent: started\ndata: {\"call_id\":\"x\"}\n\n: keep\n\n";
  const std::string second = "id: 1-6\nevent: completed\ndata: {}\n\n";
  const auto chunk = [](const std::string& text) {
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
  };
  const auto all = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(first) +
                   chunk(second.substr(0, 9)) + chunk(second.substr(9)) + "0\r\n\r\n";
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    WireEvents events;
    std::vector<std::string> seen;
    const auto note = [&](const WireEvents::Event& event) {
      seen.push_back(std::string(event.type) + std::string(event.data));
    };
    ASSERT_TRUE(events.feed(all.substr(0, cut), note)) << cut;
    ASSERT_TRUE(events.feed(all.substr(cut), note)) << cut;
    EXPECT_EQ(seen, (std::vector<std::string>{"started{\"call_id\":\"x\"}", "completed{}"})) << cut;
    EXPECT_EQ(events.last_id(), "1-6");
    EXPECT_TRUE(events.ended());
  }
}

TEST(Wire, RefusesAnAnswerThatIsNoStream) {
  WireEvents events;
  EXPECT_FALSE(
      events.feed("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", [](const auto&) {}));
}

TEST(Recorded, ReadsTimesToTheMicrosecond) {
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:01.000002Z"), 1'000'002);
  EXPECT_EQ(parse_time_us("2026-01-31T12:00:00.000000Z"), 1'769'860'800'000'000);
  EXPECT_EQ(parse_time_us("yesterday"), 0);
}

}  // namespace
}  // namespace toolway::cli
