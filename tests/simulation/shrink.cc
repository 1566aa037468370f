#include "tests/simulation/shrink.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace toolway::simulation {
namespace {

bool fails(const Plan& plan) { return !run_schedule(plan, Trace::kOff).violations.empty(); }

}  // namespace

Plan shrink(Plan failing) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    Plan fewer = failing;
    fewer.faults &= ~bit(static_cast<Fault>(i));
    if (fewer.faults != failing.faults && fails(fewer)) failing = fewer;
  }
  for (unsigned calls = 1; calls < failing.most_calls; ++calls) {
    Plan fewer = failing;
    fewer.most_calls = calls;
    if (!fails(fewer)) continue;
    failing = fewer;
    break;
  }
  for (unsigned turns = 1; turns < failing.most_turns; ++turns) {
    Plan fewer = failing;
    fewer.most_turns = turns;
    if (fails(fewer)) return fewer;
  }
  return failing;
}

std::string line_of(const Plan& plan) {
  auto line = fmt::format("seed={} faults={:x} calls={}", plan.seed, plan.faults, plan.most_calls);
  if (plan.most_turns > 0) line += fmt::format(" turns={}", plan.most_turns);
  return line;
}

Plan plan_of(const std::string& line) {
  Plan plan;
  std::istringstream words(line);
  std::string word;
  while (words >> word) {
    if (word.starts_with('#')) break;
    const auto is = word.find('=');
    if (is == std::string::npos) throw std::invalid_argument("not name=value: " + word);
    const std::string name = word.substr(0, is);
    const std::string value = word.substr(is + 1);
    if (name == "seed") {
      plan.seed = std::stoull(value);
    } else if (name == "faults") {
      plan.faults = static_cast<std::uint32_t>(std::stoul(value, nullptr, 16));
    } else if (name == "calls") {
      plan.most_calls = static_cast<unsigned>(std::stoul(value));
    } else if (name == "turns") {
      plan.most_turns = static_cast<unsigned>(std::stoul(value));
    } else {
      throw std::invalid_argument("a schedule has no " + name);
    }
  }
  return plan;
}

}  // namespace toolway::simulation
