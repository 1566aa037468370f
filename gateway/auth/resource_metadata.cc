#include "gateway/auth/resource_metadata.h"

#include <fmt/format.h>

#include "tools/http/address_policy.h"
#include "tools/http/http_url.h"

namespace toolway::gateway::auth {
namespace {

using tools::http::HttpUrl;

bool may_be_asked(const std::string& issuer) {
  const auto url = HttpUrl::parse(issuer);
  if (!url) return false;
  if (url->scheme == "https") return true;
  return url->host == "localhost" ||
         (url->address && tools::http::special_purpose(*url->address) == "loopback");
}

/// Whether it can be quoted in a header.
bool is_quotable(std::string_view text) {
  return text.find_first_of("\"\\ \t\r\n") == std::string_view::npos;
}

}  // namespace

OrderedJson resource_metadata(const std::string& resource,
                              std::span<const extensions::auth::Issuer> issuers) {
  OrderedJson document{{"resource", resource}};
  OrderedJson servers = OrderedJson::array();
  for (const auto& issuer : issuers)
    if (may_be_asked(issuer.rules.issuer)) servers.push_back(issuer.rules.issuer);
  // What has no values is left out (RFC 9728, §3.2).
  if (!servers.empty()) document["authorization_servers"] = std::move(servers);
  document["bearer_methods_supported"] = {"header"};
  document["resource_name"] = "Toolway";
  return document;
}

void add_challenge(wire::Problem& problem, const std::optional<std::string>& origin,
                   std::string_view path) {
  auto& challenge = problem.challenge;
  const auto code = problem.error.code;
  if (code == ErrorCode::kPermissionDenied && challenge.empty()) {
    challenge = "Bearer error=\"insufficient_scope\"";
    if (!problem.scope.empty() && is_quotable(problem.scope))
      challenge += fmt::format(", scope=\"{}\"", problem.scope);
  } else if (code != ErrorCode::kUnauthenticated || challenge.empty()) {
    return;
  }
  if (origin && is_quotable(path))
    challenge += fmt::format(", resource_metadata=\"{}{}{}\"", *origin, kMetadataPath, path);
}

bool is_mcp(wire::Route route) {
  switch (route) {
    case wire::Route::kMcp:
    case wire::Route::kMcpSession:
    case wire::Route::kMcpStream:
    case wire::Route::kMcpSessionStream:
    case wire::Route::kEndMcp:
    case wire::Route::kEndMcpSession: return true;
    default: return false;
  }
}

bool is_metadata(wire::Route route) {
  return route == wire::Route::kMetadata || route == wire::Route::kMcpMetadata ||
         route == wire::Route::kMcpSessionMetadata;
}

}  // namespace toolway::gateway::auth
