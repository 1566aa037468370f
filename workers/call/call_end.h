#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/trace_context.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"
#include "workers/call/attempt_clock.h"
#include "workers/call/step.h"
#include "workers/call/tool_stop.h"
#include "workers/log/call_log.h"
#include "workers/log/retry.h"

namespace toolway::workers::call {

/// How a call's turn ends.
struct TurnEnd {
  enum class Kind : std::uint8_t {
    kGiveBack,   ///< another worker gets the call; `completed` means nothing
    kMayRetry,   ///< its attempt ended; whether another one follows, its policy says
    kAttempt,    ///< its attempt ended, or could not begin, and is not followed by another one
    kUnstarted,  ///< the call ends without an attempt that counts
  };
  Kind kind = Kind::kGiveBack;
  v1::Completed completed{};
};

/// Decides how a call's turn ends once its tool has stopped, and puts that into the call's log: a
/// completion, or a RetryAt when another attempt follows. Part of a call's turn. Pure; not
/// thread-safe.
class CallEnd {
 public:
  /// All of it must outlive this.
  struct Subject {
    log::CallLog& log;
    const ToolStop& tool;
    const AttemptClock& clock;
    const v1::CallRequest& request;
    const tools::model::Spec* spec = nullptr;       ///< null: nothing can run
    const TraceContext* completion_span = nullptr;  ///< null: not traced
  };

  explicit CallEnd(const Subject& subject) : of_(subject) {}

  /// Its tool has returned.
  TurnEnd returned(v1::Completed completed) const;
  /// Its tool was asked to stop and did not return in its grace.
  TurnEnd not_returned() const;

  /// Any end but kGiveBack; ignored by a log that has one.
  void write(TurnEnd end, Step& step);
  /// More attempts than it knew of have failed before it: its own failure may be the last.
  void count_failures_again();
  /// The bus does not take its last event. False: not what replaced it, either.
  bool replace_refused(const Error& error);

 private:
  v1::Completed stopped_completion() const;
  std::optional<log::Again> retry_after(const v1::Completed& completed) const;

  const Subject of_;
  std::optional<v1::Completed> failed_;  ///< how its attempt ended, when another one follows
  bool replaced_ = false;
};

}  // namespace toolway::workers::call
