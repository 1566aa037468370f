#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/wire/problem.h"

namespace toolway::gateway {

/// Every request belongs to this tenant until authentication knows others.
inline constexpr std::string_view kTenant = "default";

/// What a request's header X-Toolway-User is worth.
enum class UserHeader {
  kTrusted,    ///< it comes from an address of --trust-user-header
  kUntrusted,  ///< it comes from elsewhere
  kForwarded,  ///< a proxy passed the request on, and may have passed on its client's header too
};

/// Who is asking.
struct Caller {
  std::string user_id;
  std::string method;  ///< how that was established: `header` or `anonymous`
};

/// `user` is the header X-Toolway-User, when there is one. Errors: invalid_request (400) when it is not
/// believed; invalid_identifier.
Answer<Caller> resolve_caller(std::optional<std::string_view> user, UserHeader header);

}  // namespace toolway::gateway
