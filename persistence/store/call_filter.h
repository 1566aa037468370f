#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::persistence::store {

/// kHeld: waits for approval.
enum class CallState { kAny, kQueued, kRunning, kCompleted, kHeld };

/// Which of a user's calls are asked for: those to which all of it applies.
struct CallFilter {
  std::string tenant_id;  ///< empty: `default`
  std::string user_id;
  std::optional<SessionKey> session{};
  std::string tool{};        ///< without its namespace; empty: any
  std::string namespace_{};  ///< empty: any
  CallState state = CallState::kAny;
  std::optional<v1::Outcome> outcome{};
  std::string error_code{};                  ///< empty: any
  std::optional<WallTime> since{}, until{};  ///< by when their ids were made; without `until`
  /// How long their last attempt ran: those that have ended, after a start.
  std::optional<std::chrono::microseconds> min_ran{}, max_ran{};
  unsigned attempts = 0;  ///< this many at least

  /// Whether only calls that have ended can apply.
  bool only_completed() const {
    return state == CallState::kCompleted || outcome || !error_code.empty() || min_ran || max_ran;
  }
};

}  // namespace toolway::persistence::store
