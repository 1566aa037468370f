#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/key_value.h"
#include "workers/held_call.h"
#include "workers/slots.h"
#include "workers/station.h"
#include "workers/worker.h"

namespace toolway::workers {

/// Who lets time pass: the worker's own thread, or a test that calls `let_time_pass`.
enum class TimePasses { kByItself, kWhenTold };

/// What moves a worker, besides what the bus delivers.
struct Drive {
  // NOLINTNEXTLINE(google-explicit-constructor)
  Drive(TimePasses time_passes, std::shared_ptr<Executor> other_executor = nullptr)
      : time(time_passes), executor(std::move(other_executor)) {}
  TimePasses time;
  std::shared_ptr<Executor> executor;  ///< null: threads of its own
};

/// The worker of one pool: its pull client, its slots, the calls it holds.
class CallWorker final : public Worker {
 public:
  static Result<std::unique_ptr<CallWorker>> start(bus::Bus& bus, monitoring::Metrics& metrics,
                                                   WorkerTools tools, const Clock& clock,
                                                   WorkerOptions options, Drive drive);
  ~CallWorker() override;

  void drain() override;

  /// Does what is due by the clock. For tests that own the time.
  void let_time_pass() { station_->timer.fire(); }
  /// When there is something due next; max: nothing waits for a time.
  MonotonicTime next_due() { return station_->timer.next_due(); }
  std::size_t held() const;
  std::size_t threads() const { return station_->executor->threads(); }

 private:
  /// The steps of a drain, one after the other as time passes.
  class Drain;

  /// A call whose spec is being fetched; it has its slot already.
  struct Fetching {
    bus::Delivery delivery;
    v1::CallRequest request;
  };
  enum class Slot { kToTake, kTaken };

  CallWorker(bus::Bus& bus, monitoring::Metrics& metrics, WorkerTools tools, const Clock& clock,
             WorkerOptions options, std::shared_ptr<Executor> executor);

  void received(bus::Delivery delivery);
  void dropped();
  void fetch_spec(bus::Delivery delivery, v1::CallRequest request);
  void spec_fetched(Fetching fetching, Result<bus::Entry> answer);
  void give_slot_back();
  void hold(bus::Delivery delivery, v1::CallRequest request, const ToolEntryPtr& tool, Slot slot);
  void released(const HeldCall& call);
  void hanging(int change);
  std::vector<std::shared_ptr<HeldCall>> held_calls() const;
  void ask(std::size_t count);

  const std::shared_ptr<Station> station_;
  bus::KeyValue specs_;
  monitoring::Gauge& slots_used_;
  monitoring::Gauge& hanging_gauge_;

  mutable std::mutex mutex_;
  std::condition_variable empty_;
  // Under mutex_.
  Slots slots_;
  std::unordered_map<std::string, std::shared_ptr<HeldCall>> held_;
  bool draining_ = false;
  std::size_t hanging_ = 0;
  bool unhealthy_ = false;

  std::unique_ptr<bus::PullConsumer> consumer_;
  std::shared_ptr<Drain> drain_;
};

}  // namespace toolway::workers
