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
#include "proto/toolway/v1/control.pb.h"
#include "tools/model/progress_queue.h"
#include "tools/model/tool.h"
#include "workers/call/blob_upload.h"
#include "workers/call/call_spans.h"
#include "workers/call/station.h"
#include "workers/log/call_log.h"
#include "workers/log/completion.h"
#include "workers/log/deadlines.h"
#include "workers/log/retry.h"

namespace toolway::workers {

/// One call that this worker holds, from its delivery to the PubAck of its
/// completion: combines its delivery, its log, its limits and its tool.
/// Decides under its own lock and acts after it: `Orders` is what it decided.
/// Bus threads, the timer and one thread of the executor come in.
class HeldCall final : public Task,
                       public Timed,
                       private tools::ToolContext,
                       public std::enable_shared_from_this<HeldCall> {
 public:
  HeldCall(std::shared_ptr<Station> station, ToolEntryPtr tool, bus::Delivery delivery,
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

  // Task
  void run() override;
  bool quick() const override { return entry_->quick(); }
  // Timed
  void on_time(MonotonicTime now) override;
  bool over() const override { return over_.load(std::memory_order_relaxed); }

 private:
  enum class Phase {
    kLooking,   ///< its log is read, or need not be
    kStarting,  ///< Started must be stored before the tool runs
    kQueued,    ///< waits for a thread
    kRunning,   ///< the tool runs
    kEnding,    ///< the completion is known, and on its way
    kGone,      ///< settled or left alone; the slot is free
  };
  /// Why the tool was asked to stop.
  enum class Stop { kNo, kCancelled, kLimit, kDrain };
  /// What the bus did not answer and must be asked once more.
  enum class Redo { kNone, kPublish, kRead, kWindow, kLookup };
  struct Orders {
    std::optional<CallLog::Publish> publish{};
    bool read = false;
    bool ask_window = false;
    bool look_up = false;
    std::string ask_worker{};  ///< whether it holds the call; empty: no worker is asked
    bool submit = false;
    bool stop_tool = false;
    bool released = false;
    bool hanging = false;
    std::optional<MonotonicTime> wake_at{};
    CallSpans::Spans spans{};  ///< that have ended
  };

  // What the bus answers.
  void on_published(Result<bus::PubAck> answer);
  void on_last(Result<bus::StoredMessage> answer);
  void on_window(Result<EventsHeld> held);
  void on_looked_up(Result<std::string> answer);
  void on_peer(Result<std::string> answer);

  // They only decide.
  void pump(Orders& orders) REQUIRES(mutex_);
  void send(CallLog::Publish event, Orders& orders) REQUIRES(mutex_);
  void read_last(Orders& orders) REQUIRES(mutex_);
  /// No event of the call has left the stream unseen.
  void log_is_known(Orders& orders) REQUIRES(mutex_);
  void stored(std::uint64_t sequence, Orders& orders) REQUIRES(mutex_);
  void judge(Verdict verdict, std::uint64_t sequence, Orders& orders) REQUIRES(mutex_);
  void ask_collectors(Orders& orders) REQUIRES(mutex_);
  void meet_last(bus::StoredMessage message, Orders& orders) REQUIRES(mutex_);
  /// Whether `last` belongs to an attempt that another worker may still run.
  bool another_worker_runs(const v1::CallEvent& last) const REQUIRES(mutex_);
  void ask_peer(LastEvent last, Orders& orders) REQUIRES(mutex_);
  void meet_recorded(const v1::LookupAnswer& answer, Orders& orders) REQUIRES(mutex_);
  void meet_cancellation(Orders& orders) REQUIRES(mutex_);
  void meet_retry(Orders& orders) REQUIRES(mutex_);
  void proceed(Orders& orders) REQUIRES(mutex_);
  /// How the call ends when its tool may not be started now.
  std::optional<v1::Completed> switched_off() const REQUIRES(mutex_);
  void complete(v1::Completed completed, Orders& orders) REQUIRES(mutex_);
  void complete_unstarted(v1::Completed completed, Orders& orders) REQUIRES(mutex_);
  /// Its attempt ended, or could not begin, and is not followed by another one.
  void complete_attempt(v1::Completed completed, Orders& orders) REQUIRES(mutex_);
  void end_attempt(v1::Completed completed, Orders& orders) REQUIRES(mutex_);
  std::optional<Again> retry_after(const v1::Completed& completed) const REQUIRES(mutex_);
  void count_failures_again() REQUIRES(mutex_);
  void count_error(const v1::Completed& completed) REQUIRES(mutex_);
  void wait_for_retry(Orders& orders) REQUIRES(mutex_);
  void refused_by_server(const Error& error, Orders& orders) REQUIRES(mutex_);
  void redo_later(Redo what, Orders& orders) REQUIRES(mutex_);
  void redo(Orders& orders) REQUIRES(mutex_);
  void leave(Orders& orders) REQUIRES(mutex_);
  void nak_and_leave(std::chrono::milliseconds delay, Orders& orders) REQUIRES(mutex_);
  void ask_tool_to_stop(Stop why, Orders& orders) REQUIRES(mutex_);
  void stop_and_leave(Orders& orders) REQUIRES(mutex_);
  void tool_stopped(v1::Completed completed, Orders& orders) REQUIRES(mutex_);
  v1::Completed stopped_completion() const REQUIRES(mutex_);
  void grace_is_over(Orders& orders) REQUIRES(mutex_);
  void extend(MonotonicTime now, Orders& orders) REQUIRES(mutex_);
  /// Another worker may have the message by now.
  bool unextended(MonotonicTime now) const REQUIRES(mutex_);
  /// It is at least this late by the server's clock.
  WallTime server_time() const REQUIRES(mutex_);
  void check_limits(MonotonicTime now, Orders& orders) REQUIRES(mutex_);
  void note_upload(MonotonicTime now) REQUIRES(mutex_);
  void abandon_upload() REQUIRES(mutex_);
  void take_reports() REQUIRES(mutex_);
  bool start_running(Orders& orders) REQUIRES(mutex_);
  void wake_at(MonotonicTime at, Orders& orders) REQUIRES(mutex_);
  MonotonicTime next_look(MonotonicTime now) REQUIRES(mutex_);

  void act(Orders& orders);
  v1::Completed execute();
  void store_large(Ending& ending);
  void reports_wait();
  void finish(v1::Completed completed, MonotonicTime began);

  // tools::ToolContext
  const std::string& session_id() const override { return request_.session_id(); }
  const std::string& user_id() const override { return request_.user_id(); }
  const std::string& call_id() const override { return request_.call_id(); }
  unsigned attempt() const override { return running_attempt_; }
  const tools::Limits& limits() const override { return limits_; }
  const std::string& idempotency_key() const override { return request_.call_id(); }
  std::stop_token cancellation() const override { return stop_.get_token(); }
  const TraceContext& trace() const override {
    return spans_ ? spans_->attempt() : ToolContext::trace();
  }
  std::optional<std::string> secret(std::string_view name) const override;
  void log(tools::LogLevel level, std::string message) override;
  void add_content(tools::ContentBlock block) override;
  void ended_by_force() override { forced_ = true; }

  const std::shared_ptr<Station> station_;
  const v1::CallRequest request_;
  const ToolEntryPtr entry_;
  const std::string subject_;  ///< of its events
  const tools::Limits limits_;
  const bool idempotent_;
  const WallTime stored_at_;                ///< this message, by the server's clock
  const std::unique_ptr<CallSpans> spans_;  ///< of a traced call; under mutex_, except attempt()
  std::stop_source stop_;
  std::unique_ptr<tools::ProgressQueue> reports_;  ///< of a multi-step tool
  std::atomic<bool> over_{false};
  std::atomic<bool> forced_{false};  ///< its executor had to end what ran the tool

  Mutex mutex_;
  std::vector<tools::ContentBlock> content_
      GUARDED_BY(mutex_){};  ///< of the result, besides its JSON
  bus::Delivery delivery_ GUARDED_BY(mutex_);
  CallLog log_ GUARDED_BY(mutex_);
  Deadlines deadlines_ GUARDED_BY(mutex_);
  Phase phase_ GUARDED_BY(mutex_) = Phase::kLooking;
  Stop stopping_ GUARDED_BY(mutex_) = Stop::kNo;
  std::optional<LimitKind> exceeded_ GUARDED_BY(mutex_);
  bool in_tool_ GUARDED_BY(mutex_) = false;
  bool thread_abandoned_ GUARDED_BY(mutex_) = false;
  bool counted_hanging_ GUARDED_BY(mutex_) = false;
  bool completion_replaced_ GUARDED_BY(mutex_) = false;
  std::optional<v1::Completed> failed_
      GUARDED_BY(mutex_);  ///< how its attempt ended, when another one follows
  std::optional<EventsHeld> window_ GUARDED_BY(mutex_);  ///< what EVENTS held when last asked
  MonotonicTime log_known_at_
      GUARDED_BY(mutex_);  ///< when the known end of the log was last confirmed
  bool reading_ GUARDED_BY(mutex_) =
      false;  ///< while the last event is being read: nothing is published
  std::optional<LastEvent> peer_wrote_
      GUARDED_BY(mutex_){};  ///< the last event, while its writer is asked
  unsigned peer_asked_ GUARDED_BY(mutex_) = 0;
  bool look_due_ GUARDED_BY(mutex_) = false;  ///< the last event must be read
  Redo redo_ GUARDED_BY(mutex_) = Redo::kNone;
  std::chrono::milliseconds backoff_ GUARDED_BY(mutex_){0};
  MonotonicTime redo_at_ GUARDED_BY(mutex_) = MonotonicTime::max();
  MonotonicTime extended_at_ GUARDED_BY(mutex_);
  MonotonicTime extend_at_ GUARDED_BY(mutex_);
  MonotonicTime alive_at_ GUARDED_BY(mutex_) = MonotonicTime::max();
  MonotonicTime merge_until_ GUARDED_BY(mutex_) = MonotonicTime::max();
  MonotonicTime grace_until_ GUARDED_BY(mutex_) = MonotonicTime::max();
  MonotonicTime armed_at_ GUARDED_BY(mutex_) = MonotonicTime::max();
  std::shared_ptr<BlobUpload> upload_ GUARDED_BY(mutex_);  ///< while a large result is stored
  std::uint32_t upload_seen_ GUARDED_BY(mutex_) = 0;       ///< chunks that counted as progress
  unsigned running_attempt_ = 1;                           ///< written before the tool runs
};

}  // namespace toolway::workers
