#include "cli/bench/profile/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "base/try.h"
#include "cli/bench/load/until_recorded.h"
#include "cli/bench/scenario/bench_scenario.h"

namespace toolway::cli::bench::profile {
namespace {

constexpr double kPerfSeconds = 5;

}  // namespace

const Round& best_of(const std::vector<Round>& rounds) {
  // What disturbs a quiet round does not count.
  return *std::ranges::min_element(rounds, {}, [](const Round& round) {
    const double others = is_quiet(round) ? 0 : round.figures.at("others");
    return std::pair(others, cost_of_ours(round.costs).cpu_us());
  });
}

Result<figures::Figures> Measurement::load(const options::BenchOptions& options,
                                           load::LoadHooks hooks) {
  auto scenario = scenario::scenario_of(options);
  scenario.warm_up = 0;
  target_.run = "profile-" + random_hex(4);
  ASSIGN_OR_RETURN(auto made,
                   load::run_until_recorded(scenario, target_, std::move(hooks), signals_));
  double errors = 0;
  for (const char* name : {"refused", "failed", "lost", "repeats"}) errors += made.figures.at(name);
  if (errors > 0)
    return fail(ErrorCode::kInternal,
                fmt::format("{:.0f} calls were refused, failed, lost or seen twice, so this says "
                            "nothing of what calls cost: {}",
                            errors, made.first_error));
  if (made.figures.at("calls") == 0)
    return fail(ErrorCode::kInvalidRequest, "no call was made; raise --seconds or --rate");
  return std::move(made.figures);
}

Result<void> Measurement::warm_up() {
  if (options_.warm_up <= 0) return {};
  auto options = options_;
  options.calls = 0;
  options.seconds = options.warm_up;
  RETURN_IF_ERROR(load(options, hooks_));
  return {};
}

Result<void> Measurement::measure_round() {
  ProcessWatch watch(pids_);
  auto hooks = hooks_;
  hooks.begun = [&watch](auto) { watch.start(); };
  ASSIGN_OR_RETURN(auto figures, load(options_, std::move(hooks)));
  ASSIGN_OR_RETURN(const auto used, watch.stop());
  auto costs = costs_per_call(used.roles, figures.at("calls"));
  figures["others"] = 100 * used.others;
  rounds_.push_back({std::move(figures), std::move(costs)});
  return {};
}

Result<Seen> Measurement::look_with_perf(const std::filesystem::path& directory) {
  PerfWatch perf(pids_, directory);
  auto options = options_;
  if (options.seconds > 0) options.seconds = std::min(options.seconds, kPerfSeconds);
  auto hooks = hooks_;
  hooks.begun = [&perf](auto) { perf.begin(); };
  ASSIGN_OR_RETURN(const auto figures, load(options, std::move(hooks)));
  perf.end();
  auto seen = perf.result();
  for (auto& [role, calls] : seen.system_calls) calls /= figures.at("calls");
  return seen;
}

}  // namespace toolway::cli::bench::profile
