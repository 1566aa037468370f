#include "gateway/auth/authorize.h"

#include <fmt/format.h>

#include "gateway/auth/resource_metadata.h"

namespace toolway::gateway::auth {
namespace {

using extensions::may;

bool is_proven(const wire::Caller& caller) {
  return caller.method == extensions::kByKey || caller.method == extensions::kByJwt;
}

tl::unexpected<wire::Problem> denied(std::string message) {
  return wire::refuse(ErrorCode::kPermissionDenied, std::move(message));
}

}  // namespace

bool is_public(wire::Route route) {
  return route == wire::Route::kLivez || route == wire::Route::kReadyz ||
         route == wire::Route::kOpenApi || route == wire::Route::kErrorPage ||
         route == wire::Route::kApiPage || route == wire::Route::kFrontPage || is_metadata(route);
}

wire::HttpResult<void> authorize(wire::Route route, const wire::Caller& caller,
                                 const extensions::GrantsPtr& grants) {
  if (caller.method == extensions::kByOperator) return {};
  if (const auto permission = wire::permission_of(route); !permission.empty()) {
    if (is_proven(caller) && grants && grants->role_grants(permission)) return {};
    return denied(
        fmt::format("this needs permission {}, which none of your roles grants: the policy's "
                    "`roles` do (toolway extensions put), or send the operator token",
                    permission));
  }
  const bool tools = route == wire::Route::kTools;
  if ((tools || route == wire::Route::kWorkers) && !may(grants, extensions::kReadFleet))
    return denied(
        fmt::format("you may not look at the whole fleet: that needs permission fleet:read{}",
                    tools ? "; a session's own tools are at /v1/sessions/{s}/tools" : ""));
  // Without a credential to ask for, a scraper has none.
  if (route == wire::Route::kMetrics && is_proven(caller) &&
      !(grants && grants->role_grants(extensions::kReadMetrics)))
    return denied(
        "you may not read metrics: that needs permission metrics:read of one of your roles "
        "(toolway extensions put); a scraper without a credential asks the gateway's own listener "
        "for metrics (--metrics HOST:PORT)");
  return {};
}

}  // namespace toolway::gateway::auth
