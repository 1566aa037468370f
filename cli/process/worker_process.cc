#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ranges>
#include <vector>

#include "base/all_at_once.h"
#include "base/os/own_domain.h"
#include "base/try.h"
#include "cli/process/bus_probe.h"
#include "cli/process/last_resort.h"
#include "cli/process/pools.h"
#include "cli/process/process_clock.h"
#include "cli/process/process_parts.h"
#include "cli/process/stop_signals.h"
#include "cli/process/telemetry.h"
#include "cli/process/tool_kinds.h"
#include "cli/process/toolset_board.h"
#include "cli/process/worker_mocks.h"
#include "cli/terminal/exit_code.h"
#include "monitoring/metric_registry.h"
#include "tools/builtin/builtin.h"
#include "workers/pool/start_worker.h"
#include "workers/worker.h"

namespace toolway::cli::process {
namespace {

constexpr std::chrono::minutes kTidyEvery{10};
/// For the connection and what the tools started; an orchestrator gives 15 s.
constexpr std::chrono::seconds kEndsAfterDrain{12};

using Workers = std::vector<std::unique_ptr<workers::Worker>>;

template <typename Start>
Result<Workers> start_workers(const std::vector<PoolSlots>& pools, Start start) {
  Workers workers;
  for (const auto& pool : pools) {
    ASSIGN_OR_RETURN(auto worker, start(pool));
    workers.push_back(std::move(worker));
  }
  return workers;
}

std::chrono::seconds park_after_of(const ProcessOptions& options) {
  if (!options.park_after_s) return workers::WorkerOptions().park_after;
  return std::chrono::seconds(*options.park_after_s);
}

/// All at once: each may wait for what runs, at most `limit`.
void drain(Workers& workers, std::chrono::seconds limit, LastResort& last_resort) {
  spdlog::info("draining");
  last_resort.arm(limit + kEndsAfterDrain);
  all_at_once(workers, [](auto& worker) { worker->drain(); });
  spdlog::info("stopped");
}

/// All at once: each may wait 2 s for a NATS that does not answer.
void end(Workers& workers) {
  all_at_once(workers, [](auto& worker) { worker.reset(); });
}

/// Tools may hang in threads of their own; they must not meet what main's end destroys.
[[noreturn]] void end_at_once() {
  spdlog::shutdown();
  std::_Exit(terminal::kExitInternal);
}

void tidy(const tools::model::ToolKinds& kinds) {
  for (const auto& kind : kinds) {
    if (const auto done = kind->tidy(); !done.empty()) spdlog::info("{}", done);
  }
}

/// The bus calls back where quick tools run, until this ends.
struct LeadTurns {
  LeadTurns(bus::LoopThread& turns, const Clock& clock)
      : leader(workers::threads::LoopLeader::start(turns, clock)) {
    if (!leader) spdlog::warn("the system has no more threads: quick tools run as slow ones do");
  }
  ~LeadTurns() {
    if (leader) leader->end();
  }
  LeadTurns(const LeadTurns&) = delete;
  LeadTurns& operator=(const LeadTurns&) = delete;
  const std::shared_ptr<workers::threads::LoopLeader> leader;
};

std::string in_words(const std::vector<PoolSlots>& pools) {
  const auto text_of = [](const PoolSlots& pool) {
    return fmt::format("{} ({} slots)", pool.name, pool.slots);
  };
  return fmt::format("{}", fmt::join(pools | std::views::transform(text_of), ", "));
}

/// What becomes of tools' own secrets: docs/operations/secrets.md.
void say_whether_tools_are_apart() {
  if (const auto error = os::why_no_own_domain()) {
    spdlog::warn(
        "tools without a sandbox can read each other's environment and memory in /proc, since "
        "the system gives them no Landlock domains of their own: {}",
        std::strerror(*error));
  }
}

Result<tools::model::ToolKinds> kinds_of(
    const ProcessOptions& options, const std::vector<PoolSlots>& pools,
    const std::shared_ptr<const tools::model::Secrets>& secrets, ToolsetBoard& board) {
  // What runs nothing needs neither interpreters nor sandbox.
  if (options.mocks.only) return tools::model::ToolKinds();
  auto kinds = make_worker_kinds(options, pools, secrets,
                                 [&board](auto found) { board.put(std::move(found)); });
  if (kinds) say_whether_tools_are_apart();
  return kinds;
}

}  // namespace

int run_worker(const ProcessOptions& options) {
  StopSignals signals;
  LastResort last_resort;
  start_log(options, "worker");
  auto pools = parse_pools(options.pools);
  if (!pools) return report(pools.error());
  if (const auto right = check_services(options.webhook_secrets); !right)
    return report(right.error());
  auto natives = tools::builtin::builtin_registry({.root = options.root});
  if (!natives) return report(natives.error());
  const auto secrets =
      std::make_shared<const tools::model::Secrets>(options.secrets_directory, options.secrets);
  ToolsetBoard board;
  const auto mocks = make_worker_mocks(options.mocks, **natives, secrets);
  if (!mocks) return report(mocks.error());
  auto kinds = kinds_of(options, *pools, secrets, board);
  if (!kinds) return report(kinds.error());
  auto metrics = monitoring::make_registry("worker");
  auto tracer = start_telemetry(options.telemetry, "worker", *metrics);
  if (!tracer) return report(tracer.error());
  auto bus = connect(options, "worker", *metrics);
  if (!bus) return report(bus.error());
  const auto time = ProcessClock::start(*bus->bus, *metrics, signals, "worker");
  if (!time) return report(time.error());
  const Clock& clock = (*time)->clock();
  const auto services = start_services(options, clock);
  if (!services) return report(services.error());
  const ToolsetWriter writer(*bus->bus, board, clock);
  std::atomic<bool> unhealthy = false;
  const auto give_up = [&](const std::string& why) {
    spdlog::critical("ending, so that a new process takes over: {}", why);
    unhealthy = true;
    signals.wake();
  };
  const LeadTurns lead(*bus->turns, clock);
  auto workers = start_workers(*pools, [&](const PoolSlots& pool) {
    return workers::pool::start_worker(*bus->bus, *metrics, {*natives, *kinds, *mocks}, clock,
                                       {.pool = pool.name,
                                        .worker_id = {},
                                        .slots = pool.slots,
                                        .drain_timeout = std::chrono::seconds(options.drain_s),
                                        .park_after = park_after_of(options),
                                        .secrets = secrets,
                                        .on_unhealthy = give_up,
                                        .services = *services,
                                        .tracer = *tracer,
                                        .leader = lead.leader});
  });
  if (!workers) return report(workers.error());
  spdlog::info("takes the calls of pools {}", in_words(*pools));
  BusProbe nats(*bus->bus);
  auto endpoint = endpoint_of(options, *metrics, [&nats] { return nats.ready(); });
  if (!endpoint) return report(endpoint.error());
  while (!signals.wait(kTidyEvery) && !unhealthy) tidy(*kinds);
  drain(*workers, std::chrono::seconds(options.drain_s), last_resort);
  if (unhealthy) end_at_once();
  end(*workers);
  return terminal::kExitOk;
}

}  // namespace toolway::cli::process
