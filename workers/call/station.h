#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/bus.h"
#include "bus/switch_board.h"
#include "monitoring/metrics.h"
#include "workers/call/events_window.h"
#include "workers/call/peer.h"
#include "workers/call/tool_table.h"
#include "workers/threads/gate.h"
#include "workers/threads/thread_executor.h"
#include "workers/threads/timer.h"
#include "workers/worker.h"

namespace toolway::workers::call {

class HeldCall;

/// What all calls of one worker share. Kept alive by each of them, but used
/// only inside its gate: bus and metrics may be gone once that is closed.
struct Station {
  Station(bus::Bus& the_bus, monitoring::Metrics& the_metrics, WorkerTools the_tools,
          const Clock& the_clock, WorkerOptions the_options,
          std::shared_ptr<threads::Executor> other_executor)
      : bus(the_bus),
        metrics(the_metrics),
        clock(the_clock),
        options(std::move(the_options)),
        tools(std::move(the_tools), options.pool, the_metrics),
        timer(the_clock),
        executor(other_executor
                     ? std::move(other_executor)
                     : std::make_shared<threads::ThreadExecutor>(
                           the_clock, timer,
                           threads::ThreadExecutorOptions{.max_threads = options.slots})),
        window(std::make_shared<EventsWindow>(the_bus)),
        steadiness(the_clock.monotonic()) {}

  bus::Bus& bus;
  monitoring::Metrics& metrics;
  const Clock& clock;
  const WorkerOptions options;
  ToolTable tools;
  threads::Timer timer;
  const std::shared_ptr<threads::Executor> executor;
  const std::shared_ptr<EventsWindow> window;
  BusSteadiness steadiness;
  /// What may not be started; exists as long as the gate is open.
  std::unique_ptr<bus::SwitchBoard> switches;
  threads::Gate gate;
  /// A call has ended; its slot is free.
  std::function<void(const HeldCall&)> released;
  /// A tool did not return within the grace (+1), or has returned after all (-1).
  std::function<void(int)> hanging;
};

}  // namespace toolway::workers::call
