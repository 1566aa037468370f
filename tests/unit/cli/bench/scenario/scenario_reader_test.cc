#include "cli/bench/scenario/scenario_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/os/file_io.h"
#include "cli/bench/scenario/duration_field.h"
#include "tests/paths.h"

namespace toolway::cli::bench::scenario {
namespace {

constexpr std::string_view kWhole = R"(name: whole
description: Everything that a scenario may say.
stack: {gateways: 2, workers: 3, collectors: 2, pools: [native=8], settings: ["python.warm=1"]}
warm_up: 500ms
groups:
  - name: noisy
    user: ann
    sessions: 8
    followers: 4
    batch: 10
    repeat: same_key
    stages: [{for: 1m, rate: 100, to: 200}]
    calls:
      - {weight: 3, payload: 1000, progress: 2, wait_ms: 5, result: 7, idempotent: false}
      - {tool: time.get_current_time, arguments: {timezone: UTC}}
    thresholds: [p99 < 50ms]
  - name: quiet
    stages: [{for: 30s, concurrency: 4}, {for: 0.5h, concurrency: 8}]
actions:
  - {at: 20s, workers: 4}
  - {at: 5s, every: 10s, drop: followers}
  - {at: 10s, restart: all}
thresholds: [lost == 0, lag < 5s, "error_rate < 0.1%"]
)";

/// `line: what` of every mistake.
std::string mistakes_of(std::string_view text) {
  std::string all;
  for (const auto& mistake : read_scenario(text, "f.yaml").mistakes) all += mistake.text() + "\n";
  return all;
}

TEST(ScenarioReader, ReadsEverything) {
  const auto read = read_scenario(kWhole, "f.yaml");
  ASSERT_TRUE(read.mistakes.empty()) << mistakes_of(kWhole);
  const auto& scenario = read.scenario;
  EXPECT_EQ(scenario.name, "whole");
  EXPECT_EQ(scenario.stack.gateways, 2U);
  EXPECT_EQ(scenario.stack.pools, std::vector<std::string>{"native=8"});
  EXPECT_DOUBLE_EQ(scenario.warm_up, 0.5);
  EXPECT_DOUBLE_EQ(scenario.seconds(), 1830);
  ASSERT_EQ(scenario.groups.size(), 2U);
  const auto& noisy = scenario.groups[0];
  EXPECT_EQ(noisy.user, "ann");
  EXPECT_EQ(noisy.followed(), 4U);
  EXPECT_EQ(noisy.batch, 10U);
  EXPECT_EQ(noisy.repeat, Repeat::kSameKey);
  EXPECT_EQ(noisy.pace, Pace::kRate);
  EXPECT_DOUBLE_EQ(noisy.stages[0].from, 100);
  EXPECT_DOUBLE_EQ(noisy.stages[0].to, 200);
  EXPECT_EQ(noisy.calls[0].weight, 3U);
  EXPECT_EQ(noisy.calls[0].wait_ms, 5U);
  EXPECT_FALSE(noisy.calls[0].idempotent);
  EXPECT_TRUE(noisy.calls[1].idempotent);
  EXPECT_EQ(noisy.calls[1].arguments["timezone"], "UTC");
  EXPECT_EQ(noisy.thresholds[0].metric, "p99");
  const auto& quiet = scenario.groups[1];
  EXPECT_EQ(quiet.user, "load-quiet");
  EXPECT_EQ(quiet.pace, Pace::kConcurrency);
  EXPECT_EQ(quiet.calls.size(), 1U);
  EXPECT_EQ(scenario.thresholds.size(), 3U);
  // By time; one with `every` stands for many.
  ASSERT_GE(scenario.actions.size(), 4U);
  EXPECT_DOUBLE_EQ(scenario.actions[0].at, 5);
  EXPECT_EQ(scenario.actions[1].what, Action::What::kRestart);
  EXPECT_DOUBLE_EQ(scenario.actions[2].at, 15);
  EXPECT_EQ(scenario.actions[3].workers, 4U);
}

TEST(ScenarioReader, EveryScenarioOfOursIsRight) {
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOOLWAY_SOURCE_DIR "/tests/load")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const auto read = read_scenario(*os::read_file(entry.path()), entry.path().string());
    EXPECT_TRUE(read.mistakes.empty())
        << (read.mistakes.empty() ? "" : read.mistakes.front().text());
    EXPECT_EQ(read.scenario.name, entry.path().stem().string());
    EXPECT_FALSE(read.scenario.description.empty()) << entry.path();
  }
  EXPECT_GE(count, 11U);
}

struct Wrong {
  const char* text;
  const char* said;
};

TEST(ScenarioReader, SaysWhereAndWhatIsWrong) {
  const std::string good = "name: x\nstages: [{for: 1s, rate: 1}]\n";
  const Wrong cases[] = {
      {"colour: red\n", "f.yaml:3: unknown field `colour`"},
      {"sesions: 3\n", "f.yaml:3: unknown field `sesions`; did you mean `sessions`?"},
      {"sessions: -3\n", "f.yaml:3: `sessions` must be a whole number from 1 to 100000"},
      {"sessions: many\n", "f.yaml:3: `sessions`"},
      {"sessions: 1.5\n", "f.yaml:3: `sessions`"},
      {"sessions: 99999999999999999999\n", "f.yaml:3: `sessions`"},
      {"followers: 17\n", "f.yaml:3: there are only 16 sessions to follow"},
      {"batch: 0\n", "f.yaml:3: `batch`"},
      {"user: \"a\\r\\nX: y\"\n", "f.yaml:3: `user`"},
      {"repeat: often\n", "f.yaml:3: `repeat` must be never or same_key"},
      {"warm_up: 5\n", "f.yaml:3: `warm_up` must be a time with its unit"},
      {"warm_up: -5s\n", "f.yaml:3: `warm_up` must be a time"},
      {"warm_up: 5h\n", "f.yaml:3: `warm_up` must be from 0s to 600s"},
      {"stack: [1]\n", "f.yaml:3: `stack` must be a mapping"},
      {"stack: {workers: 0}\n", "f.yaml:3: `workers`"},
      {"stack: {gateway: 1}\n", "f.yaml:3: unknown field `gateway`"},
      {"thresholds: [p99 < 50]\n", "f.yaml:3: threshold \"p99 < 50\": a time needs us, ms or s"},
      {"thresholds: [speed > 3]\n", "no figure has this name"},
      {"thresholds: p99 < 50ms\n", "f.yaml:3: `thresholds` must be a list of texts"},
      {"calls: []\n", "f.yaml:3: `calls` must be a list"},
      {"calls: [{kind: cobol}]\n", "`kind` must be native"},
      {"calls: [{kind: python}, {kind: http}]\n", "one kind besides native"},
      {"calls: [{tool: time}]\n", "`tool` must be namespace.name"},
      {"calls: [{kind: python, payload: 3}]\n", "`payload` is for the bench's own tool"},
      {"calls: [{payload: 500000}]\n", "`payload` must be whole bytes from 0 to 400000"},
      {"actions: [{restart: gateway}]\n", "an action has no `at`"},
      {"actions: [{at: 5s, restart: gateway}]\n", "`at` must be from 0s to 1s"},
      {"actions: [{at: 0.5s, restart: kitchen}]\n", "`restart` must be gateway"},
      {"actions: [{at: 0.5s}]\n", "an action is one of"},
      {"actions: [{at: 0.5s, workers: 2, restart: gateway}]\n", "an action is one of"},
      {"groups: []\n", "`groups` must be a list"},
      {"name: y\n", "f.yaml:3:"},
  };
  for (const auto& wrong : cases)
    EXPECT_NE(mistakes_of(good + wrong.text).find(wrong.said), std::string::npos)
        << wrong.text << mistakes_of(good + wrong.text);
  EXPECT_EQ(mistakes_of(good), "");
}

TEST(ScenarioReader, RefusesStagesThatCannotBeMeant) {
  const Wrong cases[] = {
      {"name: x\n", "needs `stages`"},
      {"name: x\nstages: []\n", "f.yaml:2: group \"all\" needs `stages`"},
      {"name: x\nstages: [{rate: 1}]\n", "a stage has no `for`"},
      {"name: x\nstages: [{for: 1s}]\n", "neither `rate`"},
      {"name: x\nstages: [{for: 1s, rate: -1}]\n", "`rate` must be a number from 0"},
      {"name: x\nstages: [{for: 1s, rate: .nan}]\n", ".nan is not a JSON number"},
      {"name: x\nstages: [{for: 1s, rate: .inf}]\n", ".inf is not a JSON number"},
      {"name: x\nstages: [{for: 0s, rate: 1}]\n", "`for` must be from"},
      {"name: x\nstages: [{for: 1s, rate: 1}, {for: 1s, concurrency: 1}]\n",
       "all have `rate`, or all `concurrency`"},
      {"name: x\nstages: [{for: 1s, rate: 1, concurrency: 1}]\n", "unknown field `rate`"},
      {"name: x\ngroups: [{name: a, stages: [{for: 1s, rate: 1}]}, {name: a, stages: [{for: 1s, rate: 1}]}]\n",
       "two groups"},
      {"name: x\nstages: [{for: 1s, rate: 1}]\ngroups: [{name: a, stages: [{for: 1s, rate: 1}]}]\n",
       "unknown field `stages`"},
      {"name: x\ngroups: [{name: a, stages: [{for: 1s, rate: 1}], thresholds: [lag < 1s]}]\n",
       "of the whole run, not of a group"},
      {"name: ../etc\nstages: [{for: 1s, rate: 1}]\n", "`name` must be 1 to 40"},
      {"stages: [{for: 1s, rate: 1}]\n", "a scenario has no `name`"},
  };
  for (const auto& wrong : cases)
    EXPECT_NE(mistakes_of(wrong.text).find(wrong.said), std::string::npos)
        << wrong.text << mistakes_of(wrong.text);
}

TEST(ScenarioReader, SurvivesWhatIsNotAScenario) {
  for (const char* text :
       {"", "42", "[]", "{", "name: [", "a: &a [*a]", "\x01", "\xff\xfe", "name: x\n\tstages: 1",
        "{\"name\": 3}",
        "name: ~\nstages: ~\ncalls: ~\ngroups: ~\nactions: ~\nthresholds: ~\nstack: ~"})
    EXPECT_NE(mistakes_of(text), "") << text;
  std::string deep = "name: x\ncalls: ";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  EXPECT_NE(mistakes_of(deep), "");
}

TEST(Duration, NeedsItsUnit) {
  EXPECT_DOUBLE_EQ(*parse_duration("1500ms"), 1.5);
  EXPECT_DOUBLE_EQ(*parse_duration("10s"), 10);
  EXPECT_DOUBLE_EQ(*parse_duration("2m"), 120);
  EXPECT_DOUBLE_EQ(*parse_duration("1h"), 3600);
  for (const char* text : {"", "s", "10", "10 s", "-1s", "1d", "infs", "nans", "1e999s", "ms"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Scenario, FitsIntoAnotherTimeAndLoad) {
  auto scenario = read_scenario(kWhole, "f.yaml").scenario;
  fit_into(scenario, 18.3);
  EXPECT_NEAR(scenario.seconds(), 18.3, 1e-9);
  EXPECT_NEAR(scenario.groups[0].stages[0].seconds, 0.6, 1e-9);
  EXPECT_NEAR(scenario.actions.front().at, 0.05, 1e-9);
  scale_load(scenario, 0.001);
  EXPECT_DOUBLE_EQ(scenario.groups[0].stages[0].from, 0.1);
  EXPECT_EQ(scenario.groups[0].sessions, 1U);
  EXPECT_DOUBLE_EQ(scenario.groups[1].stages[0].from, 1);
}

}  // namespace
}  // namespace toolway::cli::bench::scenario
