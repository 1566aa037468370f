#include "cli/bench/scenario/scenario.h"

#include <algorithm>
#include <cmath>

namespace toolway::cli::bench::scenario {
namespace {

unsigned times(unsigned count, double factor) {
  return count == 0 ? 0 : std::max(1U, static_cast<unsigned>(std::lround(count * factor)));
}

double length(const LoadGroup& group) {
  double sum = 0;
  for (const auto& stage : group.stages) sum += stage.seconds;
  return sum;
}

}  // namespace

unsigned LoadGroup::followed() const {
  return std::min(sessions, followers != 0 ? followers : 1000U);
}

double Scenario::seconds() const {
  double longest = 0;
  for (const auto& group : groups) longest = std::max(longest, length(group));
  return longest;
}

void fit_into(Scenario& scenario, double seconds) {
  const double factor = seconds / scenario.seconds();
  for (auto& group : scenario.groups)
    for (auto& stage : group.stages) stage.seconds *= factor;
  for (auto& action : scenario.actions) action.at *= factor;
  scenario.warm_up = std::min(scenario.warm_up, seconds / 5);
}

void scale_load(Scenario& scenario, double factor) {
  for (auto& group : scenario.groups) {
    group.sessions = times(group.sessions, factor);
    group.followers = times(group.followers, factor);
    for (auto& stage : group.stages) {
      // Less than one request at once would be none.
      const double least = group.pace == Pace::kConcurrency ? 1 : 0;
      if (stage.from > 0) stage.from = std::max(stage.from * factor, least);
      if (stage.to > 0) stage.to = std::max(stage.to * factor, least);
    }
  }
}

}  // namespace toolway::cli::bench::scenario
