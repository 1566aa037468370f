#pragma once

#include "extensions/grants.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/route.h"

namespace toolway::gateway::auth {

/// Whether it is answered without asking who calls: probes, and documents that are the same for
/// all. Pure.
bool is_public(wire::Route route);

/// Whether a caller whose identity is established may use a route: the fleet needs what the policy
/// grants or does not speak of; an operator's routes and the metrics need a role that says so, or
/// the operator token. What callers may do with tools is decided elsewhere. Pure. Errors:
/// permission_denied, naming the permission.
wire::HttpResult<void> authorize(wire::Route route, const wire::Caller& caller,
                                 const extensions::GrantsPtr& grants);

}  // namespace toolway::gateway::auth
