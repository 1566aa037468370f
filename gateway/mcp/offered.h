#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"
#include "gateway/mcp/seen_offers.h"
#include "mcp/message.h"

/// Prompts, resources and completion: what spec files offer besides tools. Pure.
namespace toolway::gateway::mcp {

/// What one request sees of it.
struct Offered {
  const SeenOffers& seen;
  bool stateless = false;  ///< the request is of 2026-07-28, and says it all
};

/// Whether `answer_offered` answers a method.
bool is_offered(std::string_view method);

/// About how many bytes its answer has.
std::size_t answer_bytes(const SeenOffers& seen, std::string_view method, const Json& params);

/// The URI that the params name, as far as one may be that long.
std::string uri_of(const Json& params);
toolway::mcp::RpcError no_such_resource(const std::string& uri);

/// The result of one of these methods (each revision: server/prompts, server/resources,
/// server/utilities/completion). Errors: kInvalidParams (no such prompt or resource, arguments that
/// are missing or of a wrong type, a cursor), kMissingCapability (a prompt asks, and the client did
/// not say that it can be asked).
tl::expected<Json, toolway::mcp::RpcError> answer_offered(const Offered& offered,
                                                          std::string_view method,
                                                          const Json& params);

}  // namespace toolway::gateway::mcp
