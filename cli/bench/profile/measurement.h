#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "cli/bench/figures/threshold.h"
#include "cli/bench/load/load_run.h"
#include "cli/bench/options/options.h"
#include "cli/bench/profile/cost.h"
#include "cli/bench/profile/perf.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::bench::profile {

/// A load, and what its calls cost.
struct Round {
  figures::Figures figures;  ///< with `others`: what other programs took of the CPU, in %
  Costs costs;
};

/// How much of the CPU other programs may take in a round that counts, in %. They would add to what
/// a call costs, as they share caches, and take from it, as calls that had to wait are handled
/// together.
inline constexpr double kQuiet = 10;

/// The round that counts: of those that were quiet the one in which a call cost gateways, workers
/// and collectors least; of none that was, the one that was disturbed least. Pure. There must be
/// one.
const Round& best_of(const std::vector<Round>& rounds);
inline bool is_quiet(const Round& round) { return round.figures.at("others") <= kQuiet; }

/// Makes the load of the options again and again on one stack, and measures what its processes take
/// for it: from when sessions, event streams and connections are open until Postgres has every
/// call. One thread.
class Measurement {
 public:
  /// What it refers to must outlive it.
  Measurement(const options::BenchOptions& options, load::LoadTarget target, load::LoadHooks hooks,
              Pids pids, process::StopSignals& signals)
      : options_(options),
        target_(std::move(target)),
        hooks_(std::move(hooks)),
        pids_(std::move(pids)),
        signals_(signals) {}

  /// Errors: those of the load; kInternal when a call was not completed, or not once.
  Result<void> warm_up();
  /// Measures one round more. Errors: likewise; that a process ended.
  Result<void> measure_round();
  const std::vector<Round>& rounds() const { return rounds_; }
  /// Makes the load once more, at most 5 s of it, with perf attached, which would add to the costs
  /// of the other rounds. System calls are per call here.
  Result<Seen> look_with_perf(const std::filesystem::path& directory);

 private:
  Result<figures::Figures> load(const options::BenchOptions& options, load::LoadHooks hooks);

  const options::BenchOptions& options_;
  load::LoadTarget target_;
  const load::LoadHooks hooks_;
  const Pids pids_;
  process::StopSignals& signals_;
  std::vector<Round> rounds_;
};

}  // namespace toolway::cli::bench::profile
