#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace toolway::workers::call {

/// How far the turn of a call at a worker is.
enum class TurnPhase : std::uint8_t {
  kLooking,   ///< its log is read, or need not be
  kPermit,    ///< waits for a permit of each limit on running calls
  kStarting,  ///< Started must be stored before the tool runs
  kQueued,    ///< waits for a thread
  kRunning,   ///< the tool runs
  kEnding,    ///< the completion is known, and on its way
  kGone,      ///< settled or left alone; the slot is free
};

/// As a worker tells it to who asks for the call; nothing: it has ended.
inline std::optional<std::string_view> phase_name(TurnPhase phase) {
  switch (phase) {
    case TurnPhase::kLooking:
    case TurnPhase::kPermit: return "looking";
    case TurnPhase::kStarting: return "starting";
    case TurnPhase::kQueued: return "queued";
    case TurnPhase::kRunning: return "running";
    case TurnPhase::kEnding: return "ending";
    case TurnPhase::kGone: break;
  }
  return std::nullopt;
}

}  // namespace toolway::workers::call
