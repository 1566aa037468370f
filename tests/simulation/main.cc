// Runs random schedules of the real decisions over a model of the bus; docs/simulation.md.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/shrink.h"

namespace toolway::simulation {
namespace {

constexpr std::string_view kUsage = R"(usage: toolway-simulation [options]
  --schedules N       how many (100000)
  --seed N            the first one's seed (1); alone with --schedules 1 it repeats a schedule
  --faults HEX        which faults may happen (all)
  --calls N           most calls of a schedule (6)
  --turns N           most messages to models; 0: there are no chat processes (0)
  --trace             prints what happens
  --seeds FILE        runs the schedules of FILE first
  --break RULE        breaks a rule on purpose: expected-last, early-ack, rerun, lost-event,
                      approval, lease, attempt, number, ended
  --finds             succeeds only if a violation is found
)";

struct Options {
  std::uint64_t schedules = 100'000;
  Plan plan{.seed = 1};
  bool trace = false;
  bool finds = false;
  std::string seeds;
};

std::optional<Broken> broken_of(const std::string& name) {
  if (name == "expected-last") return Broken::kExpectedLast;
  if (name == "early-ack") return Broken::kEarlyAck;
  if (name == "rerun") return Broken::kRerun;
  if (name == "lost-event") return Broken::kLostEvent;
  if (name == "lease") return Broken::kLease;
  if (name == "attempt") return Broken::kAttempt;
  if (name == "number") return Broken::kNumber;
  if (name == "ended") return Broken::kEnded;
  if (name == "approval") return Broken::kApproval;
  return std::nullopt;
}

std::optional<Options> read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--trace") {
      options.trace = true;
      continue;
    }
    if (words[i] == "--finds") {
      options.finds = true;
      continue;
    }
    if (i + 1 == words.size()) return std::nullopt;
    const std::string& name = words[i];
    const std::string& value = words[++i];
    if (name == "--schedules") {
      options.schedules = std::stoull(value);
    } else if (name == "--seed") {
      options.plan.seed = std::stoull(value);
    } else if (name == "--faults") {
      options.plan.faults = static_cast<std::uint32_t>(std::stoul(value, nullptr, 16));
    } else if (name == "--calls") {
      options.plan.most_calls = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--turns") {
      options.plan.most_turns = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--seeds") {
      options.seeds = value;
    } else if (const auto broken = broken_of(value); name == "--break" && broken) {
      options.plan.broken = *broken;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void explain(const Plan& plan) {
  const Plan smaller = shrink(plan);
  const ScheduleResult outcome = run_schedule(smaller, Trace::kOn);
  for (const auto& line : outcome.trace) fmt::print("{}\n", line);
  fmt::print("\nseed {} fails:\n", plan.seed);
  for (const auto& violation : outcome.violations) fmt::print("  {}\n", violation);
  fmt::print("needs:");
  for (std::size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if ((smaller.faults & bit(fault)) != 0) fmt::print(" {},", fault_name(fault));
  }
  fmt::print(
      " {} calls at most\nagain: toolway-simulation --schedules 1 --trace --seed {} --faults {:x} --calls {} --turns {}\n"
      "a line for tests/simulation/seeds: {}\n",
      smaller.most_calls, smaller.seed, smaller.faults, smaller.most_calls, smaller.most_turns,
      line_of(smaller));
}

class Tally {
 public:
  /// False: it fails.
  bool run(const Plan& plan) {
    const ScheduleResult outcome = run_schedule(plan, Trace::kOff);
    ++schedules_;
    steps_ += outcome.steps;
    calls_ += outcome.calls;
    messages_ += outcome.messages;
    hash_ = hash_ * 31 + outcome.hash;
    return outcome.violations.empty();
  }
  void print(std::chrono::duration<double> took) const {
    fmt::print("{} schedules, {} calls, {} messages, {} steps in {:.1f} s; fingerprint {:016x}\n",
               schedules_, calls_, messages_, steps_, took.count(), hash_);
  }

 private:
  std::uint64_t schedules_ = 0, calls_ = 0, messages_ = 0, steps_ = 0, hash_ = 0;
};

int run(const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - begun; };
  Tally tally;
  if (!options.seeds.empty()) {
    std::ifstream file(options.seeds);
    if (!file) {
      fmt::print(stderr, "cannot read {}\n", options.seeds);
      return 2;
    }
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line.starts_with('#')) continue;
      const Plan plan = plan_of(line);
      if (tally.run(plan)) continue;
      explain(plan);
      return 1;
    }
  }
  Plan plan = options.plan;
  for (std::uint64_t i = 0; i < options.schedules; ++i, ++plan.seed) {
    if (options.trace) {
      const ScheduleResult outcome = run_schedule(plan, Trace::kOn);
      for (const auto& line : outcome.trace) fmt::print("{}\n", line);
    }
    if (tally.run(plan)) continue;
    if (options.finds) {
      fmt::print("found, as it should be: seed {} after {} schedules: {}\n", plan.seed, i + 1,
                 run_schedule(plan, Trace::kOff).violations.front());
      return 0;
    }
    explain(plan);
    tally.print(took());
    return 1;
  }
  tally.print(took());
  if (options.finds) fmt::print(stderr, "a rule was broken, but nothing was found\n");
  return options.finds ? 1 : 0;
}

}  // namespace
}  // namespace toolway::simulation

int main(int argc, char** argv) {
  using namespace toolway::simulation;
  // A schedule's own trace says it better.
  spdlog::set_level(spdlog::level::off);
  std::optional<Options> options;
  try {
    options = read_options({argv + 1, argv + argc});
  } catch (const std::exception&) {
    options.reset();
  }
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  return run(*options);
}
