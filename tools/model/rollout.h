#pragma once

#include <string_view>

namespace toolway::tools::model {

/// The shares that a candidate may have, in percent of sessions. 0 and 100 are not shares: drop it,
/// or promote it.
inline constexpr unsigned kLeastRollout = 1;
inline constexpr unsigned kMaxRollout = 99;

/// Whether a session is among the `percent` that get a tool's candidate. Decided by a hash of the
/// session's key and the tool's qualified name alone: the same on every gateway, the same for the
/// whole life of a session, other sessions for another tool; and a session that is in stays in
/// while the share grows.
bool in_rollout(std::string_view session_key, std::string_view qualified_name, unsigned percent);

}  // namespace toolway::tools::model
