#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/reaper/reap.h"

namespace toolway::persistence::reaper {

/// What the reaper does next about a call. Each kind has one consequence.
struct ReapStep {
  enum class Kind : std::uint8_t {
    kAskQueueState,  ///< find out where the call's newest message on CALLS is: `queue_state`
    kReadLog,        ///< ask the leader for the call's last event in EVENTS: `read`
    kForget,         ///< nothing: the call is completed
    kWatch,          ///< nothing before `look_at`
    kPublish,  ///< publish the call again, as `publication` says, and look at it again at `look_at`
    kRequestApproval,  ///< publish its `approval_request`, and look at it again at `look_at`
    kComplete,         ///< publish its `completion`, and look at it again at `look_at`
    kAskPostgres,  ///< ask Postgres again about this call and those not looked at yet: what it said
                   ///< is too old
  };
  Kind kind = Kind::kAskPostgres;
  WallTime look_at{};
  Decision decision{};  ///< of kPublish, kRequestApproval and kComplete
};

/// The looks at the calls that one answer of Postgres is about, one call after the other. What is
/// recorded of a call is only a hint: before the reaper publishes or completes anything, it asks
/// the stream for the call's last event, and decides by that. Where its message is in the queue is
/// asked only if that matters. Pure: handed the time, and what is found out.
class ReapRound {
 public:
  /// How long to act on what Postgres said about calls. After more, as after a pause, later events
  /// may have come, been recorded, and left EVENTS.
  static constexpr std::chrono::seconds kFactsHold{10};

  /// `recorded`: both streams are recorded up to there. `asked`: when Postgres was asked.
  ReapRound(const ReapRules& rules, WallTime recorded, MonotonicTime asked)
      : rules_(rules), recorded_(recorded), asked_(asked) {}

  /// Begins with a call.
  ReapStep look_at(ReapFacts facts, MonotonicTime now, WallTime wall);
  ReapStep queue_state(QueueState found);
  /// `last`: nothing when the stream has no event of the call.
  ReapStep read(std::optional<store::RecordedEvent> last, MonotonicTime now);

  /// The call's, as far as they are known by now.
  const ReapFacts& facts() const { return facts_; }

  /// The message of kPublish: `request` is the call with its arguments, `subject` its queue's.
  Result<bus::Publication> publication(v1::CallRequest request, std::string subject) const;
  /// The message of kRequestApproval: `request` is the call with its arguments.
  Result<bus::Publication> approval_request(const v1::CallRequest& request, WallTime now) const;
  /// The message of kComplete. It follows the call's last event in the stream; when all of its
  /// events have left it, none, and `seq` continues from what is recorded.
  Result<bus::Publication> completion(WallTime now) const;

 private:
  bool stale(MonotonicTime now) const { return now - asked_ >= kFactsHold; }
  ReapStep decided();

  const ReapRules& rules_;
  const WallTime recorded_;
  const MonotonicTime asked_;
  ReapFacts facts_;
  WallTime now_{};  ///< when the look at this call began
  Decision decision_;
  bool read_log_ = false;
  std::optional<store::RecordedEvent> in_stream_;
};

}  // namespace toolway::persistence::reaper
