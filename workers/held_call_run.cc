// How a held call runs its tool, and what it does as time passes.
#include <algorithm>

#include "base/json.h"
#include "workers/completion.h"
#include "workers/held_call.h"

namespace toolway::workers {
namespace {

/// How far ahead a call asks the timer to look at it: one that has ended
/// leaves no trace there for longer.
constexpr std::chrono::seconds kLookAtLeast{1};

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
      const std::scoped_lock lock(mutex_);
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
      complete(timed_out(*limit, deadlines_.allowed(*limit)), orders);
      return false;
    }
  }
  phase_ = Phase::kRunning;
  in_tool_ = true;
  running_attempt_ = log_.attempt();
  deadlines_.started(now);
  alive_at_ = now + station_->options.alive_interval;
  const WallTime wall = station_->clock.wall();
  entry_->submit_to_started().observe(wall - from_unix_us(request_.submitted_at_us()));
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
  if (!arguments) return ending_of(tl::unexpected(tools::ToolError(arguments.error())), {}).completed;
  const tools::RegisteredTool& tool = *entry_->tool();
  NoProgress silent;
  tools::Progress& progress = reports_ ? static_cast<tools::Progress&>(*reports_) : silent;
  try {
    // The value itself is gone by the time that its text is published.
    Ending ending = ending_of(tool.run(*arguments, *this, progress), tool.spec().result);
    if (!ending.large.empty()) store_large(ending);
    return std::move(ending.completed);
  } catch (const std::exception& e) {
    return completion_without_result(v1::OUTCOME_FAILED,
                                     code_name(ErrorCode::kToolThrew), e.what());
  } catch (...) {
    return completion_without_result(v1::OUTCOME_FAILED,
                                     code_name(ErrorCode::kToolThrew),
                                     "an exception that is no std::exception left the tool");
  }
}

void HeldCall::finish(v1::Completed completed, MonotonicTime began) {
  bool abandoned = false;
  {
    const Inside inside(station_->gate);
    Orders orders;
    {
      const std::scoped_lock lock(mutex_);
      in_tool_ = false;
      abandoned = thread_abandoned_;
      if (inside) entry_->ran(station_->clock.monotonic() - began);
      if (inside && phase_ == Phase::kRunning) {
        take_reports();
        switch (stopping_) {
          case Stop::kNo: complete(std::move(completed), orders); break;
          case Stop::kCancelled: complete(cancelled(), orders); break;
          case Stop::kLimit:
            complete(timed_out(*exceeded_, deadlines_.allowed(*exceeded_)), orders);
            break;
          case Stop::kDrain:
            // Another worker may run it again; what cannot be run again has its say.
            if (idempotent_) {
              nak_and_leave(std::chrono::milliseconds(0), orders);
            } else {
              complete(std::move(completed), orders);
            }
            break;
        }
      }
      if (phase_ == Phase::kGone) over_ = true;
    }
    if (inside) {
      act(orders);
      if (counted_hanging_) station_->hanging(-1);
    }
  }
  if (abandoned) station_->executor->abandoned_returned();
}

void HeldCall::reports_wait() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (phase_ == Phase::kRunning) pump(orders);
  }
  act(orders);
}

void HeldCall::take_reports() {
  // What is not taken fills the queue, and the tool waits there.
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
    const std::scoped_lock lock(mutex_);
    if (phase_ != Phase::kRunning) return;
    take_reports();  // what was reported before is said before
    log_.backlog().add(level, std::move(message));
    pump(orders);
  }
  act(orders);
}

std::optional<std::string> HeldCall::secret(std::string_view name) const {
  const auto found = station_->options.secrets.find(name);
  if (found == station_->options.secrets.end()) return std::nullopt;
  return found->second;
}

void HeldCall::on_time(MonotonicTime now) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (now < armed_at_) return;  // an earlier look took the place of this one
    armed_at_ = MonotonicTime::max();
    if (phase_ != Phase::kGone) {
      extend(now, orders);
      check_limits(now, orders);
      if (phase_ == Phase::kRunning && now >= alive_at_) {
        alive_at_ = now + station_->options.alive_interval;
        log_.alive();
      }
      if (now >= merge_until_) {
        merge_until_ = MonotonicTime::max();
        log_.release_start();
      }
    }
    if (now >= grace_until_) grace_is_over(orders);
    if (phase_ != Phase::kGone) {
      if (retry_ != Retry::kNone && now >= retry_at_) {
        retry(orders);
      } else if (phase_ == Phase::kRunning && !orders.publish) {
        pump(orders);
      }
    }
    if (!over_) wake_at(next_look(now), orders);
  }
  act(orders);
}

void HeldCall::retry(Orders& orders) {
  const Retry what = std::exchange(retry_, Retry::kNone);
  retry_at_ = MonotonicTime::max();
  switch (what) {
    case Retry::kNone: break;
    case Retry::kPublish: orders.publish = log_.again(); break;
    case Retry::kRead: orders.read = true; break;
    case Retry::kWindow: orders.look_at_window = true; break;
  }
}

MonotonicTime HeldCall::next_look(MonotonicTime now) {
  if (phase_ == Phase::kGone) return grace_until_;
  MonotonicTime at = std::min({now + kLookAtLeast, retry_at_, extend_at_, grace_until_});
  if (phase_ == Phase::kRunning) {
    at = std::min({at, alive_at_, merge_until_, log_.report_ready_at(now)});
    if (stopping_ == Stop::kNo) at = std::min(at, deadlines_.next());
  }
  return std::max(now, at);
}

void HeldCall::wake_at(MonotonicTime at, Orders& orders) {
  if (at >= armed_at_) return;
  armed_at_ = at;
  orders.wake_at = at;
}

bool HeldCall::unextended(MonotonicTime now) const {
  // A completion that is known is worth keeping: the chain alone decides whether it still counts.
  return phase_ < Phase::kEnding && now - extended_at_ >= station_->options.abandon_unextended;
}

void HeldCall::extend(MonotonicTime now, Orders& orders) {
  if (unextended(now)) {
    ask_tool_to_stop(Stop::kDrain, orders);
    return leave(orders);
  }
  if (now < extend_at_) return;
  if (station_->bus.connection() == bus::Connection::kConnected) {
    delivery_.in_progress();
    extended_at_ = now;
    extend_at_ = now + station_->options.alive_interval;
  } else {
    extend_at_ = now + kLookAtLeast;
  }
}

void HeldCall::check_limits(MonotonicTime now, Orders& orders) {
  if (phase_ == Phase::kGone || phase_ == Phase::kEnding || stopping_ != Stop::kNo) return;
  if (phase_ != Phase::kRunning) return;  // looked at when it is about to start
  take_reports();
  // A tool that waits for us to take its reports has done its part.
  if (reports_ && reports_->size() > 0) deadlines_.progressed(now);
  note_upload(now);
  exceeded_ = deadlines_.exceeded(now);
  if (exceeded_) ask_tool_to_stop(Stop::kLimit, orders);
}

void HeldCall::ask_tool_to_stop(Stop why, Orders& orders) {
  if (!in_tool_ || stopping_ != Stop::kNo) return;
  stopping_ = why;
  // What cannot be run again has the grace to store its result.
  if (why != Stop::kDrain || idempotent_) abandon_upload();
  orders.stop_tool = true;
  grace_until_ = station_->clock.monotonic() + station_->options.cancel_grace;
  wake_at(grace_until_, orders);
}

void HeldCall::grace_is_over(Orders& orders) {
  grace_until_ = MonotonicTime::max();
  if (!in_tool_) return;
  if (phase_ == Phase::kRunning) {
    if (stopping_ == Stop::kDrain) {
      nak_and_leave(std::chrono::milliseconds(0), orders);
    } else {
      complete(stopping_ == Stop::kCancelled
                   ? cancelled()
                   : timed_out(*exceeded_, deadlines_.allowed(*exceeded_)),
               orders);
    }
  }
  if (!thread_abandoned_) {
    thread_abandoned_ = true;
    station_->executor->abandon();
  }
  if (!counted_hanging_) {
    counted_hanging_ = true;
    orders.hanging = true;
  }
  grace_until_ = MonotonicTime::max();
  over_ = phase_ == Phase::kGone;
}

}  // namespace toolway::workers
