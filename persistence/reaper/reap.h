#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"

/// What to do about a call that is not completed. Pure: no bus, no SQL, no clock.
namespace toolway::persistence::reaper {

/// Where the newest message of a call on CALLS is.
enum class QueueState : std::uint8_t {
  kUnknown,  ///< could not be found out
  kQueued,   ///< not acknowledged yet: a worker will get it, or has it
  kTaken,    ///< acknowledged, so no worker gets it any longer
  kGone,     ///< it left the stream's window
};

/// What is known about a call.
struct ReapFacts {
  v1::CallRequest request;         ///< of its newest publication; arguments may be left out
  store::EventPosition published;  ///< where that is on CALLS
  std::optional<store::RecordedEvent> last;  ///< its last event
  std::optional<WallTime> started_at;        ///< of its newest attempt
  QueueState queue_state = QueueState::kUnknown;
  /// When this reaper published it last.
  std::optional<WallTime> republished_at;
};

struct ReapRules {
  /// A running worker enforces the limits of its calls itself: it gets this long.
  std::chrono::milliseconds slack{5000};
  /// A call not heard from for this long is looked for.
  std::chrono::milliseconds silence{60'000};
  /// A gateway that holds a call, decides about one, or answers a parked one, writes what follows
  /// itself: it gets this long.
  std::chrono::milliseconds decide_after{5000};
  /// No call waits for approval for longer (extensions/extension.h), and some to be found.
  std::chrono::milliseconds longest_hold{std::chrono::hours(31 * 24)};
  /// A gateway that cancels a call that was never started completes it itself: it gets this long.
  std::chrono::milliseconds cancel_after{5000};
  /// Delays of an attempt up to this one are kept by the worker's own message.
  std::chrono::milliseconds nak_limit{5000};
  /// A call not heard from for this long, and without a limit, is lost.
  std::chrono::milliseconds lost_after{std::chrono::hours(48)};
  std::chrono::milliseconds look_again{1000};  ///< while something is not recorded yet
};

enum class ReapKind : std::uint8_t {
  kWait,             ///< look again at `look_at`
  kForget,           ///< it is completed
  kPublish,          ///< publish it again, as publication `publication`
  kRequestApproval,  ///< write the first event of a held call
  kComplete,         ///< complete it as `outcome`, with error `code`
};

struct Decision {
  ReapKind kind = ReapKind::kWait;
  WallTime look_at{};
  std::uint32_t publication = 0;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  ErrorCode code = ErrorCode::kInternal;
  /// It would be different if `ReapFacts::queue_state` were known.
  bool asks_queue_state = false;
  /// A label of the metric: retry, answered, silent, cancelled, queue_limit, total_limit, lost,
  /// approval_requested, approved, denied, approval_expired.
  std::string_view action;
};

/// `recorded`: CALLS and EVENTS are recorded up to there. Nothing is decided by the absence
/// of what may only not be recorded yet.
Decision reap(const ReapFacts& facts, WallTime recorded, WallTime now, const ReapRules& rules);

/// When a limit of the call passes with its slack; nothing: it has none that applies.
std::optional<WallTime> limit_of(const ReapFacts& facts, const ReapRules& rules);

/// The next attempt comes with the worker's own message: its delay after this RetryAt is short.
bool worker_keeps(const v1::CallEvent& retry, const ReapRules& rules);

/// It waits for approval, or for what follows a decision.
bool held(const ReapFacts& facts);

/// A worker began an attempt of it.
bool started(const ReapFacts& facts);

}  // namespace toolway::persistence::reaper
