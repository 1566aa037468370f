#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

std::vector<std::string> keys(const OrderedJson& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

const std::vector<std::string> kDemo{"demo", "--examples", TOOLWAY_SOURCE_DIR "/examples/tools",
                                     "--packs", TOOLWAY_SOURCE_DIR "/packs"};

TEST(Demo, HoldsAllItsChecks) {
  const test::TempDir dir;
  const auto demo = run_toolway(dir, kDemo);
  EXPECT_EQ(demo.status, 0) << demo.output;
  EXPECT_NE(demo.output.find("checks hold."), std::string::npos) << demo.output;
  EXPECT_EQ(demo.output.find("FAIL"), std::string::npos) << demo.output;
}

TEST(Demo, StopsAtOnceOnCtrlC) {
  const test::TempDir dir;
  const auto log = dir / "demo.log";
  std::vector<std::string> argv{TOOLWAY_PROGRAM};
  argv.insert(argv.end(), kDemo.begin(), kDemo.end());
  auto demo = local::ChildProcess::start({.argv = argv, .log_file = log});
  ASSERT_TRUE(demo) << demo.error().message;
  ASSERT_TRUE(wait_for([&] { return text_of(log).find("1. A session") != std::string::npos; }));
  (*demo)->signal(SIGINT);
  EXPECT_EQ((*demo)->wait(std::chrono::seconds(5)), 1) << text_of(log);
  EXPECT_NE(text_of(log).find("Stopped what was started."), std::string::npos) << text_of(log);
}

TEST(Bench, WritesItsResultAndItsSlosDecideTheExitStatus) {
  const test::TempDir dir;
  const auto file = dir / "bench.json";
  const std::vector<std::string> bench{"bench", "--calls",     "500", "--sessions",
                                       "8",     "--followers", "4",   "--warm-up",
                                       "0.2",   "--json",      file,  "--slo"};
  const auto with = [&](std::vector<std::string> slos) {
    auto arguments = bench;
    arguments.insert(arguments.end(), slos.begin(), slos.end());
    return run_toolway(dir, arguments);
  };
  const auto held = with({"errors==0", "completion.p99<60s", "per_session_kb<10000"});
  EXPECT_EQ(held.status, 0) << held.output;
  const auto result = parse_ordered_json(text_of(file));
  ASSERT_TRUE(result) << held.output;
  EXPECT_EQ(keys(*result),
            (std::vector<std::string>{"calls", "errors", "calls_per_s", "accepted", "first_event",
                                      "completion", "recorded", "memory"}));
  EXPECT_EQ((*result)["calls"], 500);
  EXPECT_EQ((*result)["errors"], 0);
  EXPECT_GT((*result)["calls_per_s"].get<double>(), 0);
  for (const char* stage : {"accepted", "first_event", "completion", "recorded"}) {
    EXPECT_EQ(keys((*result)[stage]),
              (std::vector<std::string>{"p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms"}));
    EXPECT_GT((*result)[stage]["p50_ms"].get<double>(), 0) << stage;
  }
  EXPECT_EQ(keys((*result)["memory"]),
            (std::vector<std::string>{"per_session_kb", "per_follower_kb"}));
  const auto broken = with({"completion.p50<1us"});
  EXPECT_EQ(broken.status, 1) << broken.output;
  EXPECT_NE(broken.output.find("BROKEN"), std::string::npos) << broken.output;
  EXPECT_EQ(with({"no such thing"}).status, 2);
}

TEST(Bench, ComparesAStackWithBothFloors) {
  const test::TempDir dir;
  const auto file = dir / "bench.json";
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"bench", "--floor", "--seconds", "0.5",   "--warm-up",
                                       "0.2",   "--json",  file,        "--slo", "errors==0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_toolway(dir, arguments);
  };
  const auto closed = with({"floor_ratio>0", "loop_floor_ratio>0"});
  EXPECT_EQ(closed.status, 0) << closed.output;
  for (const char* line : {"the stack makes", "of the floor\n", "of the loop's floor\n"})
    EXPECT_NE(closed.output.find(line), std::string::npos) << closed.output;
  auto result = *parse_ordered_json(text_of(file));
  for (const char* floor : {"floor", "loop_floor"}) {
    EXPECT_EQ(keys(result[floor]), (std::vector<std::string>{"calls_per_s", "ratio"}));
    EXPECT_GT(result[floor]["ratio"].get<double>(), 0) << floor;
  }
  const auto open = with({"floor_p50_times>0", "floor_p99_times>0", "--rate", "200"});
  EXPECT_EQ(open.status, 0) << open.output;
  result = *parse_ordered_json(text_of(file));
  for (const char* floor : {"floor", "loop_floor"})
    EXPECT_GT(result[floor]["p50_ms"].get<double>(), 0) << floor;
  EXPECT_EQ(run_toolway(dir, {"bench", "--slo", "loop_floor_ratio>0"}).status, 2);
  EXPECT_EQ(with({"--url", "http://127.0.0.1:1"}).status, 2);
}

TEST(Bench, NeedsAProcessOfEachRole) {
  const test::TempDir dir;
  for (const char* role : {"--gateways", "--workers", "--collectors"})
    EXPECT_EQ(run_toolway(dir, {"bench", role, "0"}).status, 2) << role;
}

TEST(Bench, MeasuresHttpToolsAndWhatAWorkerNeedsForThem) {
  const test::TempDir dir;
  const auto file = dir / "bench.json";
  const auto calls = run_toolway(dir, {"bench", "--kind", "http", "--calls", "200", "--warm-up",
                                       "0.2", "--floor", "--json", file, "--slo", "errors==0"});
  EXPECT_EQ(calls.status, 0) << calls.output;
  EXPECT_GT((*parse_ordered_json(text_of(file)))["bare"]["calls_per_s"].get<double>(), 0);
  const auto memory =
      run_toolway(dir, {"bench", "--in-flight", "120", "--json", file, "--slo", "worker_mb<1000"});
  ASSERT_EQ(memory.status, 0) << memory.output;
  const auto result = *parse_ordered_json(text_of(file));
  EXPECT_EQ(result["calls"], 120);
  EXPECT_GT(result["worker_mb"].get<double>(), result["worker_before_mb"].get<double>());
  EXPECT_EQ(run_toolway(dir, {"bench", "--in-flight", "10", "--slo", "worker_mb<1"}).status, 1);
  EXPECT_EQ(run_toolway(dir, {"bench", "--slo", "worker_mb<1"}).status, 2);
}

}  // namespace
}  // namespace toolway::cli
