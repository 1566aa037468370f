#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "extensions/principal.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// Every request belongs to this tenant until authentication tells tenants apart.
inline constexpr std::string_view kTenant = "default";

/// How far a request's header X-Toolway-User is trusted.
enum class UserHeader {
  kTrusted,    ///< it comes from an address of --trust-user-header
  kUntrusted,  ///< it comes from elsewhere
  kForwarded,  ///< a proxy passed the request on, and may have passed on its client's header too
};

/// The user that a request comes from.
using Caller = extensions::Principal;

/// `user` is the header X-Toolway-User, when there is one. Errors: invalid_request (400) when it is
/// not trusted; invalid_identifier.
HttpResult<Caller> resolve_caller(std::optional<std::string_view> user, UserHeader header);

}  // namespace toolway::gateway::wire
