#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/bus.h"
#include "bus/switch_board.h"
#include "extensions/chain/policy_board.h"
#include "monitoring/metrics.h"
#include "workers/call/events_window.h"
#include "workers/call/peer.h"
#include "workers/call/tool_table.h"
#include "workers/permits/permits.h"
#include "workers/threads/gate.h"
#include "workers/threads/thread_executor.h"
#include "workers/threads/timer.h"
#include "workers/worker.h"

namespace toolway::workers::call {

class HeldCall;

/// What a worker's calls and pool share. Kept alive by each of them, but used
/// only inside its gate: bus and metrics may be gone once that is closed.
struct WorkerContext {
  WorkerContext(bus::Bus& shared_bus, monitoring::Metrics& shared_metrics, WorkerTools worker_tools,
                const Clock& shared_clock, WorkerOptions worker_options,
                std::shared_ptr<threads::JobExecutor> job_executor)
      : bus(shared_bus),
        metrics(shared_metrics),
        clock(shared_clock),
        options(std::move(worker_options)),
        tools(std::move(worker_tools), options.pool, shared_metrics),
        timer(shared_clock),
        executor(job_executor ? std::move(job_executor)
                              : std::make_shared<threads::ThreadExecutor>(
                                    shared_clock, timer,
                                    threads::ThreadExecutorOptions{.max_threads = options.slots,
                                                                   .spawner = options.spawner,
                                                                   .leader = options.leader})),
        window(std::make_shared<EventsWindow>(shared_bus)),
        steadiness(shared_clock.monotonic()),
        chain_metrics(shared_metrics, shared_clock),
        permits(shared_bus, shared_clock, shared_metrics,
                {.worker_id = options.worker_id, .renew_interval = options.alive_interval}) {}

  bus::Bus& bus;
  monitoring::Metrics& metrics;
  const Clock& clock;
  const WorkerOptions options;
  ToolTable tools;
  threads::Timer timer;
  const std::shared_ptr<threads::JobExecutor> executor;
  const std::shared_ptr<EventsWindow> window;
  BusSteadiness steadiness;
  /// What may not be started; exists as long as the gate is open.
  std::unique_ptr<bus::SwitchBoard> switches;
  /// Likewise: keeps `policies` in step with the bucket.
  std::unique_ptr<bus::BucketMirror> policies_mirror;
  const std::shared_ptr<extensions::chain::PolicyBoard> policies =
      std::make_shared<extensions::chain::PolicyBoard>();
  extensions::chain::ChainMetrics chain_metrics;
  permits::Permits permits;
  threads::Gate gate;
  /// A call has ended; its slot is free.
  std::function<void(const HeldCall&)> released;
  /// A tool did not return within the grace (+1), or has returned after all (-1).
  std::function<void(int)> hanging;
};

}  // namespace toolway::workers::call
