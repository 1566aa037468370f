#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/call/attempt_record.h"
#include "workers/call/call_runner.h"
#include "workers/call/call_spans.h"
#include "workers/call/call_turn.h"
#include "workers/call/may_start.h"
#include "workers/call/step.h"
#include "workers/call/worker_context.h"

namespace toolway::workers::call {

/// One call that this worker holds, from its delivery to the PubAck of its completion: has its
/// delivery, and a runner for its tool. Its turn decides what follows from anything that happens,
/// under the call's own lock; most of that is done after the lock is released. Bus threads, the
/// timer and one thread of the executor come in.
class HeldCall final : public threads::Job,
                       public threads::Timed,
                       public std::enable_shared_from_this<HeldCall> {
 public:
  /// Should it throw before the call has the delivery, the caller keeps that.
  HeldCall(std::shared_ptr<WorkerContext> context, ToolEntryPtr tool, bus::Delivery&& delivery,
           v1::CallRequest request);
  ~HeldCall() override;
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;

  const std::string& id() const { return request_.call_id(); }

  /// Looks at the call's log if need be, and lets the call start.
  void begin();
  /// The message came again while we hold the call: from now on that delivery is
  /// settled. False: this call has ended, it is a new one.
  bool redelivered(bus::Delivery& delivery);
  /// Another writer wrote to its log: looks there as soon as nothing of its own is in flight.
  /// Returns the step it is at (`looking`, `running` …); nothing: it has ended.
  std::optional<std::string_view> look();
  /// Gives the call back if its tool has not been started.
  void give_back_unstarted();
  /// Asks its tool to stop, and gives the call back when it has.
  void stop_for_drain();
  /// Gives the call back, whatever its state.
  void give_back();
  /// The worker ends: touch nothing from now on.
  void forget();

  // Job
  void run() override;
  bool quick() const override { return entry_->quick(); }
  bool native() const override { return entry_->native(); }
  // Timed
  void on_time(MonotonicTime now) override;
  bool over() const override { return over_.load(std::memory_order_relaxed); }

 private:
  /// Does what another part waits for. Without memory for it the worker releases the call, which
  /// is then delivered again after its ack_wait, and returns false.
  template <typename Work>
  bool or_release(Work work);
  /// Tells the turn what has happened, and does what it orders: `decision(turn, step)` runs under
  /// the lock. False: the worker has closed its gate, and nothing was done, or it has
  /// released the call.
  template <typename Decision>
  bool decide(Decision decision);
  /// As `decide`, for those who are inside the gate.
  template <typename Decision>
  bool decide_inside(Decision decision);
  /// Tells the turn what the bus answers.
  template <auto kInput, typename Answer>
  auto answer_to();

  CallTurn::Sight sight() const REQUIRES(mutex_);
  /// Whether its tool may start, by the switches and the policy as they are now.
  void look_whether_it_may_start(Step& step) REQUIRES(mutex_);
  Permit permit(const extensions::chain::PolicyInForce* policy) REQUIRES(mutex_);
  void take_permit();
  void permit_answered(const permits::Permits::Answer& answer);
  void ask_doorkeeper();
  void door_answered(bool may);
  void release_permit();
  /// Does what must be done before the next decision.
  void settle_orders(const Step& step, CallSpans::Spans& ended) REQUIRES(mutex_);
  void start_attempt(unsigned number, const Step& step) REQUIRES(mutex_);
  /// What the log says of it; nothing: no line.
  std::optional<AttemptRecord> attempt_ended(const Step& step) const REQUIRES(mutex_);
  void act(Step& step, CallSpans::Spans& ended);
  void ask(Orders& orders);

  void finish(v1::Completed completed, MonotonicTime began);

  const std::shared_ptr<WorkerContext> context_;
  const v1::CallRequest request_;
  const ToolEntryPtr entry_;
  const std::string subject_;               ///< of its events
  const std::unique_ptr<CallSpans> spans_;  ///< of a traced call; under mutex_, except contexts
  CallRunner runner_;                       ///< has a lock of its own
  std::atomic<bool> over_{false};
  std::atomic<bool> released_{false};  ///< the worker was told

  Mutex mutex_;
  bus::Delivery delivery_ GUARDED_BY(mutex_);
  CallTurn turn_ GUARDED_BY(mutex_);
  std::optional<ChainLook> look_ GUARDED_BY(mutex_);            ///< the last one
  std::optional<MonotonicTime> began_ GUARDED_BY(mutex_);       ///< its tool; nothing: not started
  std::vector<permits::PermitAsked> asked_ GUARDED_BY(mutex_);  ///< the limits on running calls
  permits::PermitId permit_ GUARDED_BY(mutex_) = 0;
  bool let_in_ GUARDED_BY(mutex_) = false;  ///< by the doorkeeper
};

}  // namespace toolway::workers::call
