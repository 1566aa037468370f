#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "bus/key_value.h"
#include "bus/unrecorded.h"
#include "workers/call/held_call.h"
#include "workers/call/station.h"
#include "workers/pool/queue_shares.h"
#include "workers/worker.h"

namespace toolway::workers {

/// What lets time pass: the worker's own thread, or a test that calls `let_time_pass`.
enum class TimePasses { kByItself, kWhenTold };

/// What moves a worker, besides what the bus delivers.
struct Drive {
  // NOLINTNEXTLINE(google-explicit-constructor)
  Drive(TimePasses time_passes, std::shared_ptr<Executor> other_executor = nullptr)
      : time(time_passes), executor(std::move(other_executor)) {}
  TimePasses time;
  std::shared_ptr<Executor> executor;  ///< null: threads of its own
};

/// The worker of one pool: the queues it pulls from, its slots, the calls it holds.
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
  /// What is done every second (call_worker_turn.cc).
  class Turn;
  using Asks = std::vector<QueueShares::Ask>;

  /// A call whose spec is being fetched; it has its slot already.
  struct Fetching {
    bus::Delivery delivery;
    v1::CallRequest request;
  };
  enum class Slot { kToTake, kTaken };

  CallWorker(bus::Bus& bus, monitoring::Metrics& metrics, WorkerTools tools, const Clock& clock,
             WorkerOptions options, std::shared_ptr<Executor> executor);

  void received(std::size_t queue, bus::Delivery delivery);
  void dropped(std::size_t queue, std::uint64_t pending);
  void fetch_spec(bus::Delivery delivery, v1::CallRequest request);
  void spec_fetched(Fetching fetching, Result<bus::Entry> answer);
  void give_slot_back();
  /// `queue`: where it came from, while its slot has yet to be taken.
  struct From {
    Slot slot = Slot::kTaken;
    std::size_t queue = 0;
  };
  void hold(bus::Delivery delivery, v1::CallRequest request, const ToolEntryPtr& tool, From from);
  void released(const HeldCall& call);
  void hanging(int change);
  std::vector<std::shared_ptr<HeldCall>> held_calls() const;
  /// What to ask for now.
  Asks next_asks() REQUIRES(mutex_);
  void ask(const Asks& asks);
  void serve_control(bus::Request request);
  void watch_switches();
  void switches_changed();

  // Every second, on the timer's thread; their answers on the bus's.
  void begin_turns();
  void turn(MonotonicTime now);
  void list_queues();
  void follow_queues();
  void pull(const std::string& durable, proto::Lane lane);
  void withdraw();
  void measure_backlog();
  void measured(std::size_t stream, const Result<bus::Unrecorded>& part);
  void announce();

  const std::shared_ptr<Station> station_;
  bus::KeyValue specs_;
  monitoring::Gauge& slots_used_;
  monitoring::Gauge& hanging_gauge_;
  monitoring::Gauge& paused_gauge_;

  mutable Mutex mutex_;
  CondVar empty_;
  QueueShares shares_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::shared_ptr<HeldCall>> held_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
  std::size_t hanging_ GUARDED_BY(mutex_) = 0;
  bool unhealthy_ GUARDED_BY(mutex_) = false;

  /// By the number of their queue; those of queues that are gone are stopped, but stay.
  std::vector<std::shared_ptr<bus::PullConsumer>> consumers_ GUARDED_BY(mutex_);
  std::set<std::string> pulled_ GUARDED_BY(mutex_);  ///< durables
  std::optional<std::vector<std::string>> listed_
      GUARDED_BY(mutex_);  ///< durables of all pools, when they were listed again
  std::array<double, 3> unrecorded_ GUARDED_BY(mutex_){};  ///< of CALLS, EVENTS, BLOBS
  std::size_t measuring_ GUARDED_BY(mutex_) = 0;
  bool paused_ GUARDED_BY(mutex_) = false;

  // Of the timer's thread.
  MonotonicTime list_at_{};
  MonotonicTime announce_at_{};

  const std::int64_t started_at_us_;
  std::shared_ptr<Turn> turn_;
  std::shared_ptr<Drain> drain_;
  std::unique_ptr<bus::Subscription> control_;
  std::unique_ptr<bus::Subscription> connection_;
};

}  // namespace toolway::workers
