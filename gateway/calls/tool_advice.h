#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/calls/call_context.h"

/// What to tell a client whose session does not see what it asks for. Pure.
namespace toolway::gateway::calls {

/// A sentence when the fleet has no tool that the caller may know of in one or more of a session's
/// namespaces; otherwise nothing.
std::vector<std::string> namespace_warnings(const tools::model::Registry& registry,
                                            std::span<const std::string> namespaces,
                                            const extensions::GrantsPtr& grants = {});

/// When the fleet offers what `asked` names, but not in the session's namespaces: a sentence that
/// says where it is, what the session sees, and what to do. Nothing: the fleet does not have it
/// either.
std::optional<std::string> offered_elsewhere(const CallContext& context, std::string_view asked);

}  // namespace toolway::gateway::calls
