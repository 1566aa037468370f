// Every scenario of tests/load, short and small: that calls are kept and nothing comes twice. Speed
// is judged by people.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/os/file_io.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

struct Short {
  std::string name;
  std::string scale = "0.1";
  std::string seconds = "4";
};

OrderedJson run_short(const Short& run) {
  const test::TempDir dir;
  const auto file = dir / "result.json";
  const auto ran = run_toolway(
      dir,
      {"bench", "--scenario", TOOLWAY_SOURCE_DIR "/tests/load/" + run.name + ".yaml", "--seconds",
       run.seconds, "--scale", run.scale, "--judge", "correctness", "--store", "", "--json", file});
  EXPECT_EQ(ran.status, 0) << run.name << "\n" << ran.output;
  const auto result = parse_ordered_json(text_of(file));
  if (!result) {
    ADD_FAILURE() << ran.output;
    return {};
  }
  EXPECT_GT((*result)["figures"]["calls"].get<double>(), 0) << run.name;
  // Lost, repeated and failed calls, whatever the file says of speed.
  EXPECT_GE((*result)["thresholds"].size(), 3U) << run.name;
  return *result;
}

TEST(LoadEven, KeepsEveryCall) {
  run_short({"steady"});
  run_short({"burst"});
  run_short({"soak"});
}
TEST(LoadSessions, KeepsEveryCall) {
  run_short({"many_sessions", "0.02"});
  const auto storm = run_short({"sse_storm"});
  EXPECT_GT(storm["broken_streams"].get<unsigned>(), 0U);
}
TEST(LoadTools, KeepsEveryCall) {
  run_short({"slow_tools", "0.2"});
  run_short({"large_payloads", "0.5"});
  run_short({"noisy_neighbour", "0.3"});
}
TEST(LoadRestarts, RestartsEveryProcessAndKeepsEveryCall) {
  const auto result = run_short({"rolling_restart"});
  EXPECT_EQ(result["actions"].size(), 6U) << result["actions"].dump();
}
TEST(LoadServers, RestartsTheServersAndKeepsEveryCall) {
  const auto result = run_short({"server_restart", "0.2", "8"});
  EXPECT_EQ(result["actions"].size(), 2U) << result["actions"].dump();
}
TEST(LoadWorkers, ComeAndGoAndKeepEveryCall) {
  const auto result = run_short({"scale_workers", "0.5", "12"});
  EXPECT_EQ(result["actions"].size(), 2U) << result["actions"].dump();
}

TEST(LoadTakeover, CallsOfAKilledWorkerStartAgainOrEndAsUnknown) {
  const auto result = run_short({"takeover", "0.1", "10"});
  EXPECT_EQ(result["actions"].size(), 3U) << result["actions"].dump();
  // Both halves, each after a kill; `failed` and `repeats` are judged to be 0.
  EXPECT_GT(result.value("takeovers", 0U), 0U) << result["figures"].dump();
  EXPECT_GT(result["figures"].value("takeover.p99", 0.0), 0);
  EXPECT_GT(result.value("unknown", 0U), 0U) << result["figures"].dump();
  EXPECT_GT(result["figures"].value("unknown.p99", 0.0), 0);
}

TEST(LoadFile, EveryScenarioIsTried) {
  const std::set<std::string> tried{"steady",         "burst",           "soak",
                                    "many_sessions",  "sse_storm",       "slow_tools",
                                    "large_payloads", "noisy_neighbour", "rolling_restart",
                                    "server_restart", "scale_workers",   "takeover"};
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(TOOLWAY_SOURCE_DIR "/tests/load"))
    if (entry.path().extension() == ".yaml") there.insert(entry.path().stem().string());
  EXPECT_EQ(there, tried);
}

TEST(LoadFile, IsCheckedBeforeAnythingStarts) {
  const test::TempDir dir;
  const auto steady = run_toolway(
      dir, {"bench", "--check", "--scenario", TOOLWAY_SOURCE_DIR "/tests/load/steady.yaml"});
  EXPECT_EQ(steady.status, 0) << steady.output;
  EXPECT_NE(steady.output.find("no mistake"), std::string::npos) << steady.output;
  const auto file = dir / "wrong.yaml";
  ASSERT_TRUE(
      os::write_whole_file(file, "name: wrong\nstages: [{for: 1s, rate: 1}]\nsesions: 3\n"));
  const auto wrong = run_toolway(dir, {"bench", "--scenario", file});
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_NE(wrong.output.find(":3: unknown field `sesions`; did you mean `sessions`?"),
            std::string::npos)
      << wrong.output;
  EXPECT_EQ(run_toolway(dir, {"bench", "--scenario", dir / "none.yaml"}).status, 2);
  // What only an own stack can be asked for.
  const auto elsewhere =
      run_toolway(dir, {"bench", "--scenario", TOOLWAY_SOURCE_DIR "/tests/load/scale_workers.yaml",
                        "--url", "http://127.0.0.1:1"});
  EXPECT_NE(elsewhere.status, 0);
  EXPECT_NE(elsewhere.output.find("needs a stack of its own"), std::string::npos)
      << elsewhere.output;
}

TEST(LoadFile, AThresholdThatIsBrokenDecidesTheExitStatusAndRunsAreCompared) {
  const test::TempDir dir;
  const auto file = dir / "strict.yaml";
  ASSERT_TRUE(os::write_whole_file(
      file,
      "name: strict\nwarm_up: 0s\nsessions: 2\nstages: [{for: 1s, concurrency: 2}]\ncalls: [{wait_ms: 20}]\nthresholds: [p50 < 1ms]\n"));
  const auto once = run_toolway(
      dir, {"bench", "--scenario", file, "--store", dir / "kept", "--svg", dir / "plot.svg"});
  EXPECT_EQ(once.status, 1) << once.output;
  EXPECT_NE(once.output.find("BROKEN p50 < 1ms (is "), std::string::npos) << once.output;
  EXPECT_NE(text_of(dir / "plot.svg").find("</svg>"), std::string::npos);
  const auto again = run_toolway(dir, {"bench", "--scenario", file, "--store", dir / "kept"});
  EXPECT_NE(again.output.find("compared with the last run"), std::string::npos) << again.output;
  EXPECT_NE(again.output.find("times as"), std::string::npos) << again.output;
}

}  // namespace
}  // namespace toolway::cli
