#pragma once

#include <span>
#include <string>

#include "extensions/grants.h"
#include "gateway/wire/caller.h"
#include "proto/switches.h"
#include "proto/toolway/v1/session.pb.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// What the decision about a call is based on.
struct CallContext {
  const tools::model::Registry& registry;
  const proto::Switches& switches;
  const v1::SessionRecord& session;
  std::span<const std::string> namespaces;  ///< of the session
  const wire::Caller& caller;
  extensions::GrantsPtr grants{};  ///< of the caller; null: everything
};

}  // namespace toolway::gateway::calls
