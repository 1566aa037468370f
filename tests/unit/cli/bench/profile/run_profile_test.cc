#include "cli/bench/profile/run_profile.h"

#include <gtest/gtest.h>

#include <functional>

namespace toolway::cli::bench::profile {
namespace {

using options::BenchOptions;

/// The message of the refusal; empty: they fit.
std::string refusal(const std::function<void(BenchOptions&)>& give) {
  BenchOptions options;
  give(options);
  const auto fit = check_options(options);
  return fit ? "" : fit.error().message;
}

TEST(RunProfile, FitsOptionsOfALoad) {
  EXPECT_EQ(refusal([](BenchOptions&) {}), "");
  EXPECT_EQ(refusal([](BenchOptions& o) {
              o.profile = true;
              o.rate = 500;
              o.kind = "python";
              o.scenario.store = "";
            }),
            "");
  EXPECT_EQ(refusal([](BenchOptions& o) {
              o.scenario.check = true;
              o.calls = 100;
              o.scenario.store = "x.jsonl";
            }),
            "");
  // Of a scenario --check reads the file, and --store is a directory.
  EXPECT_EQ(refusal([](BenchOptions& o) {
              o.scenario.check = true;
              o.scenario.file = "x.yaml";
              o.scenario.store = "x";
              o.url = "http://x";
            }),
            "");
}

TEST(RunProfile, RefusesWhatMakesNoSense) {
  const std::pair<const char*, std::function<void(BenchOptions&)>> others[] = {
      {"--suite", [](BenchOptions& o) { o.scenario.suite = "original"; }},
      {"--floor", [](BenchOptions& o) { o.floor = true; }},
      {"--slo", [](BenchOptions& o) { o.slo = {"errors==0"}; }},
      {"--in-flight", [](BenchOptions& o) { o.in_flight = 10; }},
      {"--lifecycle", [](BenchOptions& o) { o.lifecycle = true; }},
      {"--face", [](BenchOptions& o) { o.face = "mcp"; }},
      {"--chat", [](BenchOptions& o) { o.chat = true; }},
      {"--url", [](BenchOptions& o) { o.url = "http://127.0.0.1:1"; }}};
  for (const auto& [name, give] : others) {
    for (const bool check : {false, true}) {
      const auto words = refusal([&, give = give](BenchOptions& o) {
        (check ? o.scenario.check : o.profile) = true;
        give(o);
      });
      EXPECT_NE(words.find(name), std::string::npos) << name << ": " << words;
      EXPECT_TRUE(words.starts_with(check ? "--check" : "--profile")) << words;
    }
  }
  EXPECT_NE(refusal([](BenchOptions& o) {
              o.profile = true;
              o.scenario.file = "x.yaml";
            }),
            "");
  EXPECT_NE(refusal([](BenchOptions& o) { o.profile = o.scenario.check = true; }), "");
  EXPECT_NE(refusal([](BenchOptions& o) {
              o.scenario.check = true;
              o.scenario.store = "";
            }),
            "");
  EXPECT_NE(refusal([](BenchOptions& o) { o.scenario.store = "x"; }), "")
      << "nothing would be stored";
}

}  // namespace
}  // namespace toolway::cli::bench::profile
