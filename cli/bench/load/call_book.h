#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cli/bench/figures/load_record.h"
#include "cli/bench/load/call_key.h"

namespace toolway::cli::bench::load {

/// The calls of a group in progress, and those completed lately. An event may come before the
/// answer to the request that made its call, so either makes the entry. What was completed
/// `kRemembered` ago is forgotten, so that an hour's load stays small here; an event repeated even
/// later looks like one of a call that was never made.
class CallBook {
 public:
  static constexpr std::int64_t kRemembered = 60'000'000'000;  // ns

  struct Call {
    std::int64_t due = 0;        ///< ns; when its request should have been sent
    std::int64_t accepted = 0;   ///< ns; 0: no answer yet
    std::int64_t first = 0;      ///< ns; 0: no event yet
    std::int64_t completed = 0;  ///< ns; 0: not yet
    std::int32_t lane = -1;
    std::int32_t last_seq = 0;  ///< of its progress and log events
    std::int32_t attempt = 0;   ///< the last that was seen to start
    bool succeeded = false;
    bool counted = false;  ///< it has its answer and its completion, and its figures are kept
  };

  /// The entry of a call, made when it is new. Valid until it is forgotten.
  Call& of(const CallKey& key) { return calls_[key]; }
  /// It is done with: it can be forgotten later.
  void done(const CallKey& key, std::int64_t now) { done_.emplace_back(now, key); }
  void forget(std::int64_t now) {
    for (; !done_.empty() && done_.front().first + kRemembered < now; done_.pop_front())
      calls_.erase(done_.front().second);
  }
  /// Calls that were seen, and that no answer mentioned.
  std::uint64_t strays() const {
    std::uint64_t count = 0;
    for (const auto& [key, call] : calls_) count += call.accepted == 0 ? 1 : 0;
    return count;
  }

 private:
  std::unordered_map<CallKey, Call, CallKeyHash> calls_;
  std::deque<std::pair<std::int64_t, CallKey>> done_;
};

/// The tool, of the namespace `bench`, whose calls never run twice.
inline constexpr std::string_view kRunsOnceTool = "work_once";

/// Of a call that was answered and completed.
figures::CallTimes times_of(const CallBook::Call& call);

/// What an event says of its call.
enum class Seen {
  kStarted,
  kStartedAgain,  ///< another attempt of it
  kRanTwice,      ///< another attempt, and its tool is not idempotent
  kProgress,      ///< or a log line
  kCompleted,
  kEndedUnknown,  ///< completed as `unknown`, by a tool that is not idempotent
  kRepeated,      ///< an event that was seen before
};

/// Each attempt of a call starts once, its reports come in the order of their numbers, and it
/// completes once. A call of `kRunsOnceTool` starts once. Notes what it has seen in `call`, except
/// for the completion, whose time the caller knows. `fields`: the event's JSON from the call's id
/// on, in the gateway's order.
Seen judge_event(CallBook::Call& call, std::string_view type, std::string_view fields);

}  // namespace toolway::cli::bench::load
