#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"
#include "workers/call/delivery_hold.h"
#include "workers/call/events_window.h"
#include "workers/call/peer.h"
#include "workers/call/step.h"
#include "workers/log/call_log.h"

namespace toolway::workers::call {

/// Time until the next look at a call whose log cannot be read now.
inline constexpr std::chrono::seconds kGivenBackFor{5};

/// What the bus did not answer and must be asked once more.
enum class Redo : std::uint8_t { kNone, kPublish, kRead, kWindow, kLookup };

/// What an answer about a call's log means. Each kind has one consequence.
struct LogFinding {
  enum class Kind : std::uint8_t {
    kAsked,         ///< not known yet: the next question is asked
    kAskAgain,      ///< no usable answer: `redo` after a while
    kKnown,         ///< no event of the call has left the stream unseen
    kJudged,        ///< `verdict` on the last event, which has `sequence` (0: none in the stream);
                    ///< never kVanished or kBehind
    kGiveBack,      ///< another worker has it, or that is unknown: it comes again after `delay`
    kUnreadable,    ///< no one can continue this log: it comes again after ack_wait
    kShuttingDown,  ///< there is no bus any more
  };
  Kind kind = Kind::kAsked;
  Redo redo = Redo::kNone;
  log::Conclusion verdict = log::Conclusion::kGoOn;
  std::uint64_t sequence = 0;
  std::chrono::milliseconds delay{0};
};

/// Finds out how a call's log ends: reads its last event; where that says too little, asks what the
/// stream still holds, then the collectors; and asks the worker that wrote it whether it still has
/// the call. One question at a time. Part of a call's turn, whose log and delivery it refers to.
/// Pure; not thread-safe.
class LogCheck {
 public:
  /// Whether the call waits for what is found, or has begun, and only looks again.
  enum class Asker : std::uint8_t { kToBegin, kHasBegun };

  /// All of it must outlive the check.
  struct Subject {
    log::CallLog& log;
    const DeliveryHold& hold;
    const v1::CallRequest& request;
    const WorkerOptions& options;
  };

  /// At `now` the call has no event, as far as its delivery tells.
  LogCheck(Subject subject, MonotonicTime now) : of_(subject), known_at_(now) {}

  /// While a question is in flight: nothing is published.
  bool asking() const { return asking_; }
  /// Its answer has come; call it before handing the answer in.
  void answered() { asking_ = false; }
  /// Whether the known end of the log was confirmed lately.
  bool known(MonotonicTime now) const;

  void read_last(Step& step) { step.orders.read = asking_ = true; }
  void ask_window(Step& step) { step.orders.ask_window = asking_ = true; }
  void ask_collectors(Step& step) { step.orders.look_up = asking_ = true; }

  LogFinding last_read(Result<bus::StoredMessage> answer, Asker asker, Step& step);
  LogFinding window(const Result<EventsHeld>& held, Step& step);
  LogFinding looked_up(const Result<std::string>& answer, Asker asker, Step& step);
  /// `steady_for`: how long the bus has answered without a gap.
  LogFinding peer_said(const Result<std::string>& answer, std::chrono::nanoseconds steady_for,
                       Step& step);

 private:
  LogFinding meet(bus::StoredMessage message, Asker asker, Step& step);
  LogFinding meet_recorded(const v1::LookupAnswer& answer, Asker asker, Step& step);
  LogFinding judged(log::Conclusion verdict, std::uint64_t sequence, Step& step);
  LogFinding known_from(MonotonicTime now);
  /// Whether `last` belongs to an attempt that another worker may still run.
  bool another_worker_runs(const v1::CallEvent& last) const;

  const Subject of_;
  std::optional<EventsHeld> window_;     ///< what EVENTS held when last asked
  MonotonicTime known_at_;               ///< when the known end of the log was last confirmed
  std::optional<log::LastEvent> peers_;  ///< the last event, while its writer is asked
  unsigned peer_asked_ = 0;
  bool asking_ = false;
};

}  // namespace toolway::workers::call
