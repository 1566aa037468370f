#pragma once

#include <array>
#include <string_view>

/// The names of a call's states, as clients read them: docs/states.md.
namespace toolway::gateway::calls::call_state {

inline constexpr std::string_view kHeld = "held";  ///< waits for approval
inline constexpr std::string_view kQueued = "queued";
inline constexpr std::string_view kRunning = "running";
inline constexpr std::string_view kWaiting = "waiting";        ///< only `explain`
inline constexpr std::string_view kCancelling = "cancelling";  ///< `explain`, and a cancel's answer
inline constexpr std::string_view kCompleted = "completed";
inline constexpr std::string_view kUnknown = "unknown";  ///< `explain` cannot tell

/// What `explain` says, in the order of a call's life.
inline constexpr std::array kExplained{kHeld,       kQueued,    kRunning, kWaiting,
                                       kCancelling, kCompleted, kUnknown};

}  // namespace toolway::gateway::calls::call_state
