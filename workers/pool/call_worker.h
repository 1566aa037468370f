#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "workers/call/held_call.h"
#include "workers/call/worker_context.h"
#include "workers/pool/abandoned_tools.h"
#include "workers/pool/announcer.h"
#include "workers/pool/queue_pulls.h"
#include "workers/pool/recording_guard.h"
#include "workers/pool/slots.h"
#include "workers/pool/spec_lookup.h"
#include "workers/worker.h"

namespace toolway::workers::pool {

/// What lets time pass: the worker's own thread, or a test that calls `fire_due`.
enum class TimePasses { kByItself, kWhenTold };

/// What moves a worker, besides what the bus delivers.
struct Drive {
  // NOLINTNEXTLINE(google-explicit-constructor)
  Drive(TimePasses time_passes, std::shared_ptr<threads::JobExecutor> job_executor = nullptr)
      : time(time_passes), executor(std::move(job_executor)) {}
  TimePasses time;
  std::shared_ptr<threads::JobExecutor> executor;  ///< null: threads of its own
};

/// The worker of one pool: the calls that it holds in its slots, until it is drained.
class CallWorker final : public Worker {
 public:
  static Result<std::unique_ptr<CallWorker>> start(bus::Bus& bus, monitoring::Metrics& metrics,
                                                   WorkerTools tools, const Clock& clock,
                                                   WorkerOptions options, Drive drive);
  ~CallWorker() override;

  void drain() override;

  /// Does what is due by the clock. For tests that own the time.
  void fire_due() { context_->timer.fire(); }
  /// When there is something due next; max: nothing waits for a time.
  MonotonicTime next_due() { return context_->timer.next_due(); }
  std::size_t held() const;
  std::size_t threads() const { return context_->executor->threads(); }

 private:
  /// The steps of a drain, one after the other as time passes.
  class Drain;
  /// What is done every second.
  class Upkeep;

  enum class Slot { kToTake, kTaken };

  CallWorker(bus::Bus& bus, monitoring::Metrics& metrics, WorkerTools tools, const Clock& clock,
             WorkerOptions options, std::shared_ptr<threads::JobExecutor> executor);

  void received(std::size_t queue, bus::Delivery delivery);
  void dropped(std::size_t queue, std::uint64_t pending);
  static void return_after(std::chrono::milliseconds delay, bus::Delivery& delivery);
  void give_slot_back();
  /// Returns what to ask the queues for then, without the lock.
  Slots::Asks free_slot() REQUIRES(slots_.mutex);
  /// `queue`: where it came from, while its slot has yet to be taken.
  struct From {
    Slot slot = Slot::kTaken;
    std::size_t queue = 0;
  };
  void hold(bus::Delivery delivery, v1::CallRequest request, const call::ToolEntryPtr& tool,
            From from);
  void released(const call::HeldCall& call);
  std::vector<std::shared_ptr<call::HeldCall>> held_calls() const;
  void serve_control(bus::Request request);
  void watch_switches();
  void switches_changed();
  void begin_upkeep();

  const std::shared_ptr<call::WorkerContext> context_;
  monitoring::Gauge& slots_used_;

  Slots slots_;
  QueuePulls pulls_;
  RecordingGuard guard_;
  SpecLookup specs_;
  AbandonedTools abandoned_;
  Announcer announcer_;
  std::unordered_map<std::string, std::shared_ptr<call::HeldCall>> held_ GUARDED_BY(slots_.mutex);

  std::shared_ptr<Upkeep> upkeep_;
  std::shared_ptr<Drain> drain_;
  std::unique_ptr<bus::Subscription> control_;
  std::unique_ptr<bus::Subscription> connection_;
};

}  // namespace toolway::workers::pool
