#include "workers/call/call_end.h"

#include <utility>

#include "workers/log/completion.h"

namespace toolway::workers::call {
namespace {

using Kind = TurnEnd::Kind;
using Why = ToolStop::Why;

}  // namespace

TurnEnd CallEnd::returned(v1::Completed completed) const {
  switch (of_.tool.why()) {
    case Why::kNo: break;
    case Why::kCancelled: return {Kind::kAttempt, stopped_completion()};
    case Why::kLimit: return {Kind::kMayRetry, stopped_completion()};
    case Why::kDrain:
      // Another worker may run it again; one that cannot be run again stores its result, if it has
      // one.
      if (of_.spec->idempotent) return {};
      if (completed.error().code() != code_name(ErrorCode::kCancelled)) break;
      completed = log::broken_off(of_.log.attempt());
      completed.set_stop(of_.tool.how());
      return {Kind::kAttempt, std::move(completed)};
  }
  return {Kind::kMayRetry, std::move(completed)};
}

TurnEnd CallEnd::not_returned() const {
  switch (of_.tool.why()) {
    case Why::kCancelled: return {Kind::kAttempt, stopped_completion()};
    case Why::kLimit: return {Kind::kMayRetry, stopped_completion()};
    // Not by us: the worker that takes the call over reports that it broke off.
    case Why::kDrain:
    case Why::kNo: break;
  }
  return {};
}

v1::Completed CallEnd::stopped_completion() const {
  v1::Completed completed =
      of_.tool.why() == Why::kCancelled ? log::cancelled() : of_.clock.timed_out();
  completed.set_stop(of_.tool.how());
  return completed;
}

void CallEnd::write(TurnEnd end, Step& step) {
  auto& completed = end.completed;
  const auto again = end.kind == Kind::kMayRetry ? retry_after(completed) : std::nullopt;
  const bool counts = end.kind != Kind::kUnstarted && completed.has_error();
  step.orders.abandon_upload = true;
  step.orders.attempt_ended = AttemptEnd{
      .outcome = completed.outcome(),
      .error_code = completed.error().code(),
      .error = counts ? AttemptEnd::Error::kCounted : AttemptEnd::Error::kNone,
      .next = again ? AttemptEnd::Next::kRetry : AttemptEnd::Next::kCompletion,
  };
  if (!again) {
    if (of_.completion_span != nullptr) of_.log.sent_from(*of_.completion_span);
    return of_.log.complete(std::move(completed));
  }
  failed_ = completed;
  v1::RetryAt at;
  at.set_at_us(to_unix_us(step.wall + again->after));
  *at.mutable_error() = std::move(*completed.mutable_error());
  at.set_attempts_left(again->attempts_left);
  of_.log.fail_for_now(std::move(at));
}

std::optional<log::Again> CallEnd::retry_after(const v1::Completed& completed) const {
  const log::EndedAttempt ended{.completed = completed,
                                .idempotent = of_.spec->idempotent,
                                .still_runs = of_.tool.running(),
                                .failures = of_.log.failures() + 1,
                                .jitter = log::jitter_of(of_.request.call_id(), of_.log.attempt())};
  return log::retry(of_.spec->retry, ended);
}

void CallEnd::count_failures_again() {
  if (!failed_ || retry_after(*failed_)) return;
  of_.log.replace_completion(*std::exchange(failed_, std::nullopt));
}

bool CallEnd::replace_refused(const Error& error) {
  if (std::exchange(replaced_, true)) return false;
  of_.log.replace_completion(log::completion_without_result(
      v1::OUTCOME_FAILED, code_name(ErrorCode::kInternal),
      "the tool ended, but its completion could not be stored: " + error.message));
  return true;
}

}  // namespace toolway::workers::call
