#include "cli/bench/load/until_recorded.h"

#include <chrono>

#include "base/clock.h"
#include "base/try.h"
#include "cli/bench/load/kept.h"

namespace toolway::cli::bench::load {

Result<RecordedLoad> run_until_recorded(const scenario::Scenario& scenario,
                                        const LoadTarget& target, const LoadHooks& hooks,
                                        process::StopSignals& signals) {
  LoadRun run(scenario, target, hooks);
  RETURN_IF_ERROR(run.run(signals));
  auto& group = *run.groups().front();
  const SystemClock clock;
  const auto seen = clock.monotonic();
  RETURN_IF_ERROR(compare_with_postgres(group, target.gateways, hooks.progress));
  const std::chrono::duration<double> recording = clock.monotonic() - seen;
  return RecordedLoad{.figures = group.record().figures(run.seconds() + recording.count()),
                      .first_error = group.record().first_error()};
}

}  // namespace toolway::cli::bench::load
