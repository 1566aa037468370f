#pragma once

#include <string>

#include "extensions/grants.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/target.h"

namespace toolway::gateway::wire {

/// A turn of the chat engine that makes a request for its user.
struct Acting {
  std::string session_id;  ///< the only one that it may use
  std::string turn;        ///< the id of its call
};

/// A request whose route and caller are known.
struct RoutedRequest {
  const Request& request;
  const Target& target;
  const Caller& caller;
  std::string id;                  ///< the {s} or {c} of the path, decoded, not checked
  extensions::GrantsPtr grants{};  ///< of the caller; null: everything
  const Acting* acting = nullptr;  ///< null: the caller itself asks
};

}  // namespace toolway::gateway::wire
