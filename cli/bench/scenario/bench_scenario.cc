#include "cli/bench/scenario/bench_scenario.h"

#include <algorithm>

namespace toolway::cli::bench::scenario {
namespace {

constexpr double kSeconds = 10;
constexpr double kUntilAllAreMade = 1e9;  // seconds, when only the calls are counted
constexpr unsigned kConnections = 256;    // of an open loop
constexpr unsigned kAtOnce = 192;         // requests of a closed loop
constexpr unsigned kBatchesAtOnce = 40;

Stage stage_of(const options::BenchOptions& options) {
  const double seconds = options.seconds > 0 ? options.seconds
                         : options.calls > 0 ? kUntilAllAreMade
                                             : kSeconds;
  const double rate = options.rate.value_or(0);
  if (rate > 0) return {.seconds = seconds, .from = rate, .to = rate};
  const unsigned usual = options.batch > 1 ? kBatchesAtOnce : kAtOnce;
  const double at_once = options.concurrency != 0 ? options.concurrency : usual;
  return {.seconds = seconds, .from = at_once, .to = at_once};
}

}  // namespace

Scenario scenario_of(const options::BenchOptions& options) {
  LoadGroup calls{.name = "calls",
                  .user = options.user,
                  .tokens = options.tokens,
                  .sessions = std::max(1U, options.sessions),
                  .followers = options.followers,
                  .batch = options.batch,
                  .pace = options.rate.value_or(0) > 0 ? Pace::kRate : Pace::kConcurrency,
                  .connections = options.concurrency != 0 ? options.concurrency : kConnections,
                  .next_connection = NextConnection::kLastUsed,
                  .most = options.calls,
                  .stages = {stage_of(options)},
                  .calls = {{.kind = options.kind,
                             .tool = {},
                             .arguments = {},
                             .payload = options.payload,
                             .progress = options.progress}},
                  .thresholds = {}};
  return {.name = "bench",
          .description = {},
          .stack = {},
          .warm_up = std::max(0.0, options.warm_up),
          .groups = {std::move(calls)},
          .thresholds = {},
          .actions = {}};
}

}  // namespace toolway::cli::bench::scenario
