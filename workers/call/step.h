#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/log/call_log.h"

namespace toolway::workers::call {

/// How an attempt ended.
struct AttemptEnd {
  enum class Next { kCompletion, kRetry };
  enum class Error { kNone, kCounted };
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::string error_code{};
  Error error = Error::kNone;
  Next next = Next::kCompletion;  ///< what is published of it
};

struct LogLine {
  enum class Severity { kWarning, kError };
  Severity severity = Severity::kError;
  std::string text;
};

/// Whether the policy limits how many calls of its tool may run at once, and has room for it; and
/// whether a doorkeeper has let it in.
enum class Permit : std::uint8_t {
  kNotNeeded,  ///< it does not, or the call has its permit
  kFree,       ///< it must be taken, or asked for, before the tool starts
  kFull,       ///< other calls have them all
};

/// What follows a tool that is asked to stop.
enum class AfterStop : std::uint8_t {
  kCallEnds,   ///< it was cancelled, or reached a limit
  kRunsAgain,  ///< at another worker
};

/// What follows from one thing that happened to a call, as data.
struct Orders {
  // Done before the call's lock is released: after that, another decision may replace the delivery,
  // or the tool may return.
  std::optional<bus::Settlement> settle{};
  bool abandon_thread = false;  ///< another thread may take the place of the one that its tool has
  bool begin_upload = false;    ///< the attempt's number is stored: a large result may follow
  bool abandon_upload = false;
  std::optional<unsigned> run{};  ///< the thread that asked runs the tool, as this attempt
  bool answered = false;          ///< what the tool has asked: the log has the answers
  std::optional<AttemptEnd> attempt_ended{};
  std::optional<v1::Outcome> completed{};  ///< the completion is stored

  // Done after it, in this order.
  bool retried = false;    ///< a RetryAt is stored
  bool parked = false;     ///< it waits for answers without a worker
  bool took_over = false;  ///< an attempt of another worker is followed
  bool take_permit = false;
  std::vector<LogLine> lines{};
  std::optional<AfterStop> stop_tool{};
  std::optional<log::CallLog::Publish> publish{};
  bool read = false;  ///< the last event, from the leader
  bool ask_window = false;
  bool look_up = false;
  std::string ask_worker{};  ///< whether it holds the call; empty: no worker is asked
  std::optional<MonotonicTime> wake_at{};
  bool submit = false;
  bool released = false;  ///< the slot is free; done while the lock is held: no more reports
  int hanging = 0;        ///< change of the number of tools that did not return in their grace

  void warn(std::string text) { lines.push_back({LogLine::Severity::kWarning, std::move(text)}); }
  void error(std::string text) { lines.push_back({LogLine::Severity::kError, std::move(text)}); }
};

/// One step of a call's turn: when something happens to it, and what follows.
struct Step {
  MonotonicTime now;
  WallTime wall;
  /// Why its tool may not be started now. Only looked at while the turn says `may_start`.
  std::optional<Error> refusal{};
  Permit permit = Permit::kNotNeeded;  ///< likewise
  Orders orders{};
};

}  // namespace toolway::workers::call
