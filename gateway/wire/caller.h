#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "extensions/principal.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// How far a request's header X-Toolway-User is trusted.
enum class UserHeader {
  kTrusted,    ///< it comes from an address of --trust-user-header
  kUntrusted,  ///< it comes from elsewhere
  kForwarded,  ///< a proxy passed the request on, and may have passed on its client's header too
};

/// The user that a request comes from.
using Caller = extensions::Principal;

/// Under which name a user is counted among those of all tenants: ids hold no control characters.
std::string owner_name(std::string_view tenant, std::string_view user);
inline std::string owner_name(const Caller& caller) {
  return owner_name(caller.tenant_id, caller.user_id);
}
/// The same for what the tenant's user owns: a session, a call.
inline bool owns(const Caller& caller, std::string_view tenant, std::string_view user) {
  return caller.tenant_id == tenant && caller.user_id == user;
}

/// `user` is the header X-Toolway-User, when there is one. Errors: invalid_request (400) when it is
/// not trusted; invalid_identifier.
HttpResult<Caller> resolve_caller(std::optional<std::string_view> user, UserHeader header);

}  // namespace toolway::gateway::wire
