// How a held call runs its tool.
#include <utility>

#include "base/json.h"
#include "base/mutex.h"
#include "workers/call/held_call.h"
#include "workers/log/completion.h"
#include "workers/log/retry.h"

namespace toolway::workers {
namespace {

/// For tools whose spec says that they report nothing.
class NoProgress final : public tools::Progress {
 public:
  void report(tools::ProgressReport) override {}
};

}  // namespace

void HeldCall::run() {
  MonotonicTime began;
  {
    const Inside inside(station_->gate);
    if (!inside) return;
    Orders orders;
    bool running = false;
    {
      const MutexLock lock(mutex_);
      running = phase_ == Phase::kQueued && start_running(orders);
    }
    act(orders);
    if (!running) return;
    began = station_->clock.monotonic();
  }
  // Outside the gate: a tool that never returns must not keep the worker from closing it.
  finish(execute(), began);
}

bool HeldCall::start_running(Orders& orders) {
  const MonotonicTime now = station_->clock.monotonic();
  if (const auto limit = deadlines_.exceeded(now)) {
    if (*limit != LimitKind::kQueue || !log_.start_stored()) {
      complete_attempt(timed_out(*limit, deadlines_.allowed(*limit)), orders);
      return false;
    }
  }
  // Switched off while it waited for a thread; once Started is stored, the call does start.
  if (auto off = log_.start_stored() ? std::nullopt : switched_off()) {
    complete_attempt(*std::move(off), orders);
    return false;
  }
  phase_ = Phase::kRunning;
  in_tool_ = true;
  running_attempt_ = log_.attempt();
  deadlines_.started(now);
  alive_at_ = now + station_->options.alive_interval;
  const WallTime wall = station_->clock.wall();
  if (spans_) {
    spans_->attempt_began({.number = running_attempt_,
                           .kind = entry_->tool()->spec().kind.name,
                           .worker_id = station_->options.worker_id},
                          wall);
  }
  entry_->submit_to_started().observe(wall - from_unix_us(request_.submitted_at_us()), trace());
  const bool multi_step = entry_->tool()->spec().multi_step;
  if (multi_step) {
    auto wake = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->reports_wait();
    };
    reports_ = std::make_unique<tools::ProgressQueue>(stop_.get_token(), std::move(wake));
  }
  if (idempotent_) {
    log_.start(to_unix_us(wall),
               multi_step ? CallLog::StartEvent::kNow : CallLog::StartEvent::kHeldBack);
    if (!multi_step) merge_until_ = now + station_->options.merge_window;
    pump(orders);
  }
  wake_at(next_look(now), orders);
  return true;
}

v1::Completed HeldCall::execute() {
  auto arguments = parse_json(request_.arguments());
  if (!arguments)
    return ending_of(tl::unexpected(tools::ToolError(arguments.error())), {}).completed;
  const tools::RegisteredTool& tool = *entry_->tool();
  NoProgress silent;
  tools::Progress& progress = reports_ ? static_cast<tools::Progress&>(*reports_) : silent;
  try {
    // The value itself is freed before its text is published.
    Ending ending = ending_of(tool.run(*arguments, *this, progress), tool.spec().result);
    if (!ending.large.empty()) store_large(ending);
    {
      const MutexLock lock(mutex_);
      workers::add_content(ending.completed, std::exchange(content_, {}));
    }
    return std::move(ending.completed);
  } catch (const std::exception& e) {
    return completion_without_result(v1::OUTCOME_FAILED, code_name(ErrorCode::kToolThrew),
                                     e.what());
  } catch (...) {
    return completion_without_result(v1::OUTCOME_FAILED, code_name(ErrorCode::kToolThrew),
                                     "the tool threw something that is not a std::exception");
  }
}

void HeldCall::finish(v1::Completed completed, MonotonicTime began) {
  bool abandoned = false;
  bool hanging = false;
  {
    const Inside inside(station_->gate);
    Orders orders;
    {
      const MutexLock lock(mutex_);
      in_tool_ = false;
      abandoned = thread_abandoned_;
      hanging = counted_hanging_;
      if (inside) entry_->ran(station_->clock.monotonic() - began, trace());
      if (inside && phase_ == Phase::kRunning) {
        take_reports();
        tool_stopped(std::move(completed), orders);
      }
      if (phase_ == Phase::kGone) over_ = true;
    }
    if (inside) {
      act(orders);
      if (hanging) station_->hanging(-1);
    }
  }
  if (abandoned) station_->executor->abandoned_returned();
}

void HeldCall::count_error(const v1::Completed& completed) {
  if (completed.has_error()) entry_->attempt_failed(completed.error().code());
}

void HeldCall::complete_attempt(v1::Completed completed, Orders& orders) {
  count_error(completed);
  complete(std::move(completed), orders);
}

std::optional<Again> HeldCall::retry_after(const v1::Completed& completed) const {
  const EndedAttempt ended{.completed = completed,
                           .idempotent = idempotent_,
                           .still_runs = in_tool_,
                           .failures = log_.failures() + 1,
                           .jitter = jitter_of(id(), log_.attempt())};
  return retry(entry_->tool()->spec().retry, ended);
}

/// More attempts than it knew of have failed before it: its own failure may be the last.
void HeldCall::count_failures_again() {
  if (!failed_ || retry_after(*failed_)) return;
  log_.replace_completion(*std::exchange(failed_, std::nullopt));
}

void HeldCall::end_attempt(v1::Completed completed, Orders& orders) {
  count_error(completed);
  const auto again = retry_after(completed);
  if (!again) return complete(std::move(completed), orders);
  if (spans_) spans_->attempt_ended(completed, station_->clock.wall(), orders.spans);
  failed_ = completed;
  v1::RetryAt at;
  at.set_at_us(to_unix_us(station_->clock.wall() + again->after));
  *at.mutable_error() = std::move(*completed.mutable_error());
  at.set_attempts_left(again->attempts_left);
  phase_ = Phase::kEnding;
  abandon_upload();
  log_.fail_for_now(std::move(at));
  pump(orders);
}

void HeldCall::reports_wait() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kRunning) pump(orders);
  }
  act(orders);
}

void HeldCall::take_reports() {
  // What is not taken fills the queue, and then the tool waits.
  if (!reports_ || log_.backlog().full()) return;
  auto reports = reports_->take();
  if (reports.empty()) return;
  deadlines_.progressed(station_->clock.monotonic());
  for (auto& report : reports) log_.backlog().add(std::move(report));
}

void HeldCall::log(tools::LogLevel level, std::string message) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::kRunning) return;
    take_reports();  // earlier reports are written first
    log_.backlog().add(level, std::move(message));
    pump(orders);
  }
  act(orders);
}

void HeldCall::add_content(tools::ContentBlock block) {
  const MutexLock lock(mutex_);
  content_.push_back(std::move(block));
}

std::optional<std::string> HeldCall::secret(std::string_view name) const {
  return station_->options.secrets->find(name);
}

}  // namespace toolway::workers
