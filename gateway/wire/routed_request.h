#pragma once

#include <string>

#include "extensions/grants.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/target.h"

namespace toolway::gateway::wire {

/// A request whose route and caller are known.
struct RoutedRequest {
  const Request& request;
  const Target& target;
  const Caller& caller;
  std::string id;                  ///< the {s} or {c} of the path, decoded, not checked
  extensions::GrantsPtr grants{};  ///< of the caller; null: everything
};

}  // namespace toolway::gateway::wire
