#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/trace_context.h"
#include "base/try.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"
#include "tools/model/tool.h"
#include "workers/call/alarm.h"
#include "workers/call/attempt_clock.h"
#include "workers/call/call_end.h"
#include "workers/call/delivery_hold.h"
#include "workers/call/events_window.h"
#include "workers/call/log_check.h"
#include "workers/call/log_writer.h"
#include "workers/call/step.h"
#include "workers/call/tool_stop.h"
#include "workers/call/turn_phase.h"
#include "workers/log/call_log.h"

namespace toolway::workers::call {

/// The turn of one call at one worker, from its delivery to the PubAck of its completion: decides
/// what follows from everything that happens to it. A pure state machine: it is told what happened
/// and when, and answers with orders, which its holder carries out. Not thread-safe.
class CallTurn {
 public:
  /// What the turn is about. What is referred to must outlive it.
  struct Subject {
    const v1::CallRequest& request;
    const WorkerOptions& options;
    const tools::model::Spec* spec = nullptr;  ///< of its tool; null: this worker cannot run it
    const Error* why_not = nullptr;            ///< of a tool without a spec
    DeliveryFacts delivery{};
    /// What the log of a call that must be approved has to show (proto/approvals.h).
    std::string approval_digest{};
    /// The spans of its attempt and of its completion's publication; null: not traced.
    const TraceContext* attempt_span = nullptr;
    const TraceContext* completion_span = nullptr;
  };

  CallTurn(const Subject& call, const Step& step);
  CallTurn(const CallTurn&) = delete;
  CallTurn& operator=(const CallTurn&) = delete;

  // What happens to the call.
  /// Looks at its log if need be, and lets it start.
  void begin(Step& step);
  /// The message came again. False: the call has ended, it is a new one.
  bool redelivered(DeliveryFacts delivery, MonotonicTime now) {
    if (phase_ == Phase::kGone) return false;
    hold_.redelivered(delivery, now);
    return true;
  }
  /// Another writer wrote to its log. Returns the step it is at (`looking`, `running` …); nothing:
  /// it has ended.
  std::optional<std::string_view> look(Step& step) {
    const Phase phase = phase_;
    if (phase != Phase::kGone && phase != Phase::kLooking) writer_.look(step);
    return phase_name(phase);
  }
  void give_back_unstarted(Step& step) {
    if (may_start()) nak_and_leave(std::chrono::milliseconds(0), step);
  }
  void give_back(Step& step);
  void stop_for_drain(Step& step) {
    if (phase_ == Phase::kRunning) ask_tool_to_stop(ToolStop::Why::kDrain, step);
  }
  /// The worker ends.
  void forget() { phase_ = Phase::kGone; }

  // What the bus answers.
  void published(Result<bus::PubAck> answer, Step& step);
  void last_read(Result<bus::StoredMessage> answer, Step& step) {
    if (answered(step)) conclude(check_.last_read(std::move(answer), asker(), step), step);
  }
  void window(Result<EventsHeld> held, Step& step) {
    if (answered(step)) conclude(check_.window(held, step), step);
  }
  void looked_up(Result<std::string> answer, Step& step) {
    if (answered(step)) conclude(check_.looked_up(answer, asker(), step), step);
  }
  /// `steady_for`: how long the bus has answered without a gap.
  void peer_said(const Result<std::string>& answer, std::chrono::nanoseconds steady_for,
                 Step& step) {
    if (answered(step)) conclude(check_.peer_said(answer, steady_for, step), step);
  }

  /// Permits were asked for. `said`: kNotNeeded: it has them; otherwise it has none.
  void permit_said(Permit said, Step& step);
  /// Its permits could not be renewed: other calls may run under them soon.
  void permit_lost(Step& step) {
    if (phase_ != Phase::kGone) stop_and_leave(step);
  }

  // What its tool does.
  /// A thread is there: `step.orders.run` says whether it runs the tool.
  void thread_came(Step& step);
  void reported(std::vector<tools::model::ProgressReport> reports, const Step& step) {
    if (reports.empty()) return;
    clock_.progressed(step.now);
    for (auto& report : reports) log_.backlog().add(std::move(report));
  }
  /// What was reported may be published.
  void reports_wait(Step& step) {
    if (phase_ == Phase::kRunning) writer_.pump(step);
  }
  void logged(tools::model::LogLevel level, std::string message, Step& step) {
    if (phase_ != Phase::kRunning) return;
    log_.backlog().add(level, std::move(message));
    writer_.pump(step);
  }
  /// It asks, and waits for the answers, which does not count as running. What is asked already is
  /// not asked again. Errors, in the tool's words: too many or too large questions, or the tool is
  /// to stop. Without an error, call `waited` at its end, with the keys of all questions.
  Result<void> asked(std::vector<v1::Question> questions, Step& step) {
    if (phase_ != Phase::kRunning || tool_.why() != ToolStop::Why::kNo)
      return fail(ErrorCode::kCancelled, "the call is about to end");
    std::vector<std::string> keys;
    for (const auto& question : questions) keys.push_back(question.key());
    RETURN_IF_ERROR(writer_.ask(std::move(questions), step));
    clock_.waits(keys, step.now);
    alarm_.set(next_look(step.now), step);
    return {};
  }
  void waited(const std::vector<std::string>& keys, Step& step) {
    clock_.waited(keys, step.now);
    log_.park({});
  }
  const std::vector<v1::Question>& questions() const { return log_.questions(); }
  /// It has a large result to store before its completion. False: the call ends otherwise.
  bool upload_begins(Step& step);
  /// The bus has closed during the upload: another worker gets the message again.
  void upload_cut_off(Step& step) {
    if (phase_ == Phase::kRunning && tool_.why() == ToolStop::Why::kNo) leave(step);
  }
  /// `forced`: its executor had to end what ran it.
  void tool_ended(v1::Completed completed, bool forced, Step& step);

  /// What the turn must know as time passes.
  struct Sight {
    bus::Connection connection = bus::Connection::kConnected;
    AttemptClock::Progress progress{};
  };
  void time_passed(const Sight& sight, Step& step);

  /// Whether it may start its tool at the next thing that happens.
  bool may_start() const {
    return phase_ == Phase::kLooking || phase_ == Phase::kPermit ||
           (phase_ == Phase::kQueued && !log_.start_stored());
  }
  /// What is not taken fills the tool's queue, and then the tool waits.
  bool takes_reports() const { return phase_ != Phase::kGone && !log_.backlog().full(); }
  /// Number of the attempt that is being, or will be, written.
  std::uint32_t attempt() const { return log_.attempt(); }
  bool thread_abandoned() const { return tool_.thread_abandoned(); }
  /// Nothing more will follow from anything, except that its tool may return.
  bool over() const { return phase_ == Phase::kGone && tool_.settled(); }

 private:
  using Phase = TurnPhase;

  bool idempotent() const { return spec_ != nullptr && spec_->idempotent; }
  /// Whether Started is stored before the tool runs.
  bool starts_first() const { return !idempotent() || options_.starts_first; }
  /// Another worker may have the message by now.
  bool unextended(const Step& step) const;

  // Its log.
  void stored(std::uint64_t sequence, Step& step);
  void refused_by_server(const Error& error, Step& step);
  /// False: the answer to a question about the log does not count any more.
  bool answered(Step& step);
  LogCheck::Asker asker() const {
    return phase_ == Phase::kLooking ? LogCheck::Asker::kToBegin : LogCheck::Asker::kHasBegun;
  }
  void conclude(const LogFinding& finding, Step& step);
  void judge(log::Conclusion verdict, std::uint64_t sequence, Step& step);
  void go_on(Step& step);
  void start_stored(Step& step) {
    step.orders.begin_upload = true;
    if (phase_ != Phase::kStarting) return;
    phase_ = Phase::kQueued;
    step.orders.submit = true;
  }
  void meet_answers(Step& step) {
    if (phase_ == Phase::kLooking) return proceed(step);
    if (phase_ == Phase::kStarting && log_.start_stored()) start_stored(step);
    step.orders.answered = phase_ == Phase::kRunning;
    writer_.pump(step);
  }
  /// Whether its log shows something else than the approval that it needs.
  bool unapproved() const;
  void meet_cancellation(Step& step);
  void meet_retry(Step& step);

  // Its attempt.
  void proceed(Step& step);
  void start(Step& step);
  void end(TurnEnd how, Step& step);
  void complete_unstarted(v1::Completed completed, Step& step);
  void wait_for_retry(Step& step);
  bool may_park() const {
    return tool_.why() == ToolStop::Why::kNo && (idempotent() || spec_->asks_restart);
  }
  /// The log says so, and no worker has the call from now on, unless its tool gave up waiting or
  /// the call ends.
  void parked(Step& step) {
    using Why = ToolStop::Why;
    const bool ends = tool_.why() == Why::kCancelled || tool_.why() == Why::kLimit;
    if (phase_ != Phase::kRunning || ends || clock_.waits_for().empty()) return writer_.pump(step);
    step.orders.parked = true;
    step.orders.settle = bus::Settlement{bus::SettleKind::kAck};
    stop_and_leave(step);
  }
  void ask_tool_to_stop(ToolStop::Why why, Step& step);
  void grace_passed(Step& step);

  // Its delivery and its slot.
  void extend(const Sight& sight, Step& step);
  void leave(Step& step);
  void nak_and_leave(std::chrono::milliseconds delay, Step& step) {
    step.orders.settle = bus::Settlement{bus::SettleKind::kNak, delay};
    leave(step);
  }
  void stop_and_leave(Step& step) {
    ask_tool_to_stop(ToolStop::Why::kDrain, step);
    leave(step);
  }

  void check_limits(const Sight& sight, Step& step);
  MonotonicTime next_look(MonotonicTime now);

  const v1::CallRequest& request_;
  const WorkerOptions& options_;
  const tools::model::Spec* const spec_;
  const Error* const why_not_;
  const std::string approval_digest_;

  Phase phase_ = Phase::kLooking;
  Alarm alarm_;
  DeliveryHold hold_;
  LogWriter writer_;
  log::CallLog& log_;  ///< the writer's
  LogCheck& check_;    ///< the writer's
  ToolStop tool_;
  AttemptClock clock_;
  CallEnd end_;
};

}  // namespace toolway::workers::call
