#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace toolway::gateway::wire {

/// The longest wait that a request can ask for.
inline constexpr std::chrono::seconds kMaxPreferredWait{60};

/// `wait=N` of a Prefer header (RFC 7240), at most `kMaxPreferredWait`. Preferences that
/// are not understood are ignored, as that RFC says; so is a wait of 0.
std::optional<std::chrono::seconds> preferred_wait(std::string_view prefer);

}  // namespace toolway::gateway::wire
