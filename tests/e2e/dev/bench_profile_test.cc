#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

/// A profile as short as it can be, kept in `file`.
Ran measure(const test::TempDir& dir, const char* how, const std::string& file) {
  return run_toolway(dir, {"bench", how, "--store", file, "--rate", "200", "--seconds", "1",
                           "--rounds", "1", "--warm-up", "0.2"});
}

OrderedJson kept_in(const std::string& file) {
  const auto text = text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  return parse_ordered_json(text).value_or(OrderedJson());
}

/// Writes a result back as if each process had taken `times` as much CPU.
void doctor(const std::string& file, OrderedJson result, double times) {
  for (auto& [role, cost] : result["per_call"].items())
    for (const char* field : {"user_us", "system_us"})
      cost[field] = cost[field].get<double>() * times;
  std::ofstream(file) << result.dump() << "\n";
}

TEST(BenchProfile, KeepsWhatACallCostsEachProcessAndChecksIt) {
  const test::TempDir dir;
  const auto file = dir / "profiles.jsonl";
  const auto profile = measure(dir, "--profile", file);
  ASSERT_EQ(profile.status, 0) << profile.output;
  for (const char* shown : {"\ngateway ", "\nworker ", "\ncollector ", "\nnats-server ",
                            "\npostgres ", "\nthis client ", "\nToolway's three ", "\nall "})
    EXPECT_NE(profile.output.find(shown), std::string::npos) << shown << profile.output;
  // One or the other, as perf is allowed here or not.
  EXPECT_NE(profile.output.find("gateway, ") != std::string::npos,
            profile.output.find("stacks are not shown: ") != std::string::npos)
      << profile.output;
  const auto result = kept_in(file);
  ASSERT_TRUE(result.is_object()) << profile.output;
  EXPECT_EQ(result["figures"]["calls"], 200);
  EXPECT_EQ(result["options"]["stack"]["durability"], "process");
  EXPECT_EQ(result["options"]["rate"], 200);
  EXPECT_GT(result["machine"]["cores"], 0);
  EXPECT_FALSE(result["machine"]["model"].get<std::string>().empty());
  EXPECT_TRUE(result["program"].contains("commit"));
  EXPECT_TRUE(result["servers"]["nats"].get<std::string>().starts_with("nats-server")) << result;
  EXPECT_NE(result["servers"]["postgres"].get<std::string>().find("PostgreSQL"), std::string::npos);
  EXPECT_GT(result["figures"]["p99"], result["figures"]["p50"]);
  EXPECT_EQ(result["per_call"].size(), 6U);
  for (const auto& [role, cost] : result["per_call"].items()) {
    const auto cpu = cost["user_us"].get<double>() + cost["system_us"].get<double>();
    EXPECT_GT(cpu, 0) << role;
    EXPECT_LT(cpu, 1e6) << role;
    EXPECT_GT(cost["voluntary"], 0) << role;
  }
  // Much more than it was, then much less: no noise changes what comes of these.
  doctor(file, result, 0.1);
  const auto dearer = measure(dir, "--check", file);
  EXPECT_EQ(dearer.status, 1) << dearer.output;
  EXPECT_NE(dearer.output.find("BROKEN gateway, worker and collector took "), std::string::npos)
      << dearer.output;
  EXPECT_NE(dearer.output.find("allowed +5 %"), std::string::npos) << dearer.output;
  doctor(file, result, 10);
  const auto cheaper = measure(dir, "--check", file);
  EXPECT_EQ(cheaper.status, 0) << cheaper.output;
  EXPECT_NE(cheaper.output.find("times as much as then:"), std::string::npos) << cheaper.output;
  kept_in(file);
}

TEST(BenchProfile, StoresWhatTheFirstCheckMeasures) {
  const test::TempDir dir;
  const auto file = dir / "new" + "/profiles.jsonl";
  const auto first = measure(dir, "--check", file);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_NE(first.output.find("no result of these options and this machine was stored"),
            std::string::npos)
      << first.output;
  EXPECT_EQ(kept_in(file)["per_call"].size(), 6U);
}

TEST(BenchProfile, RefusesBeforeItStartsAnything) {
  const test::TempDir dir;
  const auto file = dir / "profiles.jsonl";
  std::ofstream(file) << "{\"started_at\":";
  const auto damaged = measure(dir, "--check", file);
  EXPECT_EQ(damaged.status, 2) << damaged.output;
  EXPECT_NE(damaged.output.find("profiles.jsonl:1 is not a result of bench --profile"),
            std::string::npos)
      << damaged.output;
  EXPECT_EQ(damaged.output.find("starting a stack"), std::string::npos) << damaged.output;
  const auto unwritable = measure(dir, "--profile", dir.path().string());
  EXPECT_EQ(unwritable.status, 2) << unwritable.output;
  EXPECT_NE(unwritable.output.find("it is not a regular file; name another file with --store"),
            std::string::npos)
      << unwritable.output;
  EXPECT_EQ(run_toolway(dir, {"bench", "--check", "--floor"}).status, 2);
}

}  // namespace
}  // namespace toolway::cli
