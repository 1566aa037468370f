#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "extensions/auth/issuer.h"
#include "gateway/wire/problem.h"
#include "gateway/wire/route.h"

/// What a client of the Model Context Protocol is told about whose credentials a gateway takes
/// (RFC 9728, and 2025-11-25, basic/authorization). Pure.
namespace toolway::gateway::auth {

/// Where the documents are; a resource's path follows.
inline constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";

/// The document of the resource at `resource`, a URL. Issuers that are not https (RFC 8414, §2),
/// or http on loopback, are left out.
OrderedJson resource_metadata(const std::string& resource,
                              std::span<const extensions::auth::Issuer> issuers);

/// Says in the challenge of a refused request for /mcp where the document is; of a permission that
/// is missing (403), which (RFC 6750, §3.1). `path`: of the request, as it came.
void add_challenge(wire::Problem& problem, const std::optional<std::string>& origin,
                   std::string_view path);

/// Whether a route is one of MCP clients' messages.
bool is_mcp(wire::Route route);
/// Whether it answers with a document of `resource_metadata`.
bool is_metadata(wire::Route route);

}  // namespace toolway::gateway::auth
