#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"
#include "extensions/grants.h"
#include "mcp/message.h"
#include "tools/specs/offers.h"

/// Prompts, resources and completion: what spec files offer besides tools. Pure.
namespace toolway::gateway::mcp {

/// What one request may see of it: what is of its session's namespaces, and within the limits of
/// its credential.
struct Offered {
  const tools::specs::Offers& offers;
  std::span<const std::string> namespaces;
  const extensions::GrantsPtr& grants;  ///< null: everything
  bool stateless = false;               ///< the request is of 2026-07-28, and says it all
};

/// Whether `answer_offered` answers a method of this era.
bool is_offered(std::string_view method, bool stateless);

/// The result of one of these methods (each revision: server/prompts, server/resources,
/// server/utilities/completion). Errors: kInvalidParams (no such prompt or resource, arguments that
/// are missing or of a wrong type, a cursor), kMissingCapability (a prompt asks, and the client did
/// not say that it can be asked).
tl::expected<Json, toolway::mcp::RpcError> answer_offered(const Offered& offered,
                                                          std::string_view method,
                                                          const Json& params);

}  // namespace toolway::gateway::mcp
