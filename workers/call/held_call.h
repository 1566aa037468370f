#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/progress_queue.h"
#include "tools/model/tool.h"
#include "workers/call/blob_upload.h"
#include "workers/call/call_spans.h"
#include "workers/call/call_turn.h"
#include "workers/call/step.h"
#include "workers/call/worker_context.h"
#include "workers/log/completion.h"

namespace toolway::workers::call {

/// One call that this worker holds, from its delivery to the PubAck of its completion: has its
/// delivery and runs its tool. Its turn decides what follows from anything that happens, under the
/// call's own lock; most of that is done after the lock is released. Bus threads, the timer and one
/// thread of the executor come in.
class HeldCall final : public threads::Job,
                       public threads::Timed,
                       private tools::model::ToolContext,
                       public std::enable_shared_from_this<HeldCall> {
 public:
  /// Should it throw before the call has the delivery, the caller keeps that.
  HeldCall(std::shared_ptr<WorkerContext> context, ToolEntryPtr tool, bus::Delivery&& delivery,
           v1::CallRequest request);

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
  /// Does what another part waits for. Without memory for it the worker lets go of the call, which
  /// is then delivered again after its ack_wait, and returns false.
  template <typename Work>
  bool or_let_go(Work work);
  /// Tells the turn what has happened, and does what it orders: `decision(turn, step)` runs under
  /// the lock. False: the worker has closed its gate, and nothing was done, or it has let go.
  template <typename Decision>
  bool decide(Decision decision);
  /// As `decide`, for those who are inside the gate.
  template <typename Decision>
  bool decide_inside(Decision decision);
  /// Tells the turn what the bus answers.
  template <auto kInput, typename Answer>
  auto answer_to();

  CallTurn::Sight sight() const REQUIRES(mutex_);
  std::optional<std::string> switched_off() const;
  /// Does what must be done before the next decision.
  void settle_orders(const Step& step, CallSpans::Spans& ended) REQUIRES(mutex_);
  void start_attempt(unsigned number, const Step& step) REQUIRES(mutex_);
  void act(Step& step, CallSpans::Spans& ended);
  void ask(Orders& orders);

  v1::Completed execute();
  void store_large(log::Ending& ending);
  void set_upload(std::shared_ptr<BlobUpload> upload);
  void finish(v1::Completed completed, MonotonicTime began);

  // tools::model::ToolContext
  const std::string& session_id() const override { return request_.session_id(); }
  const std::string& user_id() const override { return request_.user_id(); }
  const std::string& call_id() const override { return request_.call_id(); }
  unsigned attempt() const override { return running_attempt_; }
  const tools::model::Limits& limits() const override { return limits_; }
  const std::string& idempotency_key() const override { return request_.call_id(); }
  std::stop_token cancellation() const override { return stop_.get_token(); }
  const TraceContext& trace() const override {
    return spans_ ? spans_->attempt() : tools::model::ToolContext::trace();
  }
  std::optional<std::string> secret(std::string_view name) const override;
  void log(tools::model::LogLevel level, std::string message) override;
  void add_content(tools::model::ContentBlock block) override;
  void ended_by_force() override { forced_ = true; }

  const std::shared_ptr<WorkerContext> context_;
  const v1::CallRequest request_;
  const ToolEntryPtr entry_;
  const std::string subject_;  ///< of its events
  const tools::model::Limits limits_;
  const std::unique_ptr<CallSpans> spans_;  ///< of a traced call; under mutex_, except contexts
  std::stop_source stop_;
  std::unique_ptr<tools::model::ProgressQueue> reports_;  ///< of a multi-step tool
  std::atomic<bool> over_{false};
  std::atomic<bool> released_{false};  ///< the worker was told
  std::atomic<bool> forced_{false};    ///< its executor had to end what ran the tool
  unsigned running_attempt_ = 1;       ///< written before the tool runs, like `reports_`

  Mutex mutex_;
  std::vector<tools::model::ContentBlock> content_
      GUARDED_BY(mutex_){};  ///< of the result, besides its JSON
  bus::Delivery delivery_ GUARDED_BY(mutex_);
  CallTurn turn_ GUARDED_BY(mutex_);
  std::shared_ptr<BlobUpload> upload_ GUARDED_BY(mutex_);  ///< while a large result is stored
};

}  // namespace toolway::workers::call
