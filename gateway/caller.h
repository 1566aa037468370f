#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/problem.h"

namespace toolway::gateway {

/// Every request belongs to this tenant until authentication knows others.
inline constexpr std::string_view kTenant = "default";

/// Where a request came from.
enum class Peer { kLoopback, kRemote };

/// Who is asking.
struct Caller {
  std::string user_id;
  std::string method;  ///< how that was established: `header` or `anonymous`
};

/// `user` is the header X-Toolway-User, when there is one: honoured from loopback only.
/// Errors: permission_denied, invalid_identifier.
Answer<Caller> resolve_caller(std::optional<std::string_view> user, Peer peer);

}  // namespace toolway::gateway
