#include "gateway/edge/web_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace toolway::gateway::edge {
namespace {

/// What follows the scheme of a web page's origin (RFC 6454 §6.1); empty: it is not a web page's.
std::string_view authority_of(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

/// Those that begin with `mcp-param-`, each after a comma.
std::string parameter_headers(std::string_view asked) {
  constexpr std::string_view kBegin = "mcp-param-";
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  constexpr std::size_t kMaxParameters = 64;
  std::string found;
  std::size_t count = 0;
  while (!asked.empty() && count < kMaxParameters) {
    const auto comma = std::min(asked.find(','), asked.size());
    const auto name = lowered(trimmed(asked.substr(0, comma)));
    asked.remove_prefix(std::min(comma + 1, asked.size()));
    if (!name.starts_with(kBegin) || name.size() == kBegin.size()) continue;
    if (name.find_first_not_of(kCharacters) != std::string::npos) continue;
    found += ", " + name;
    ++count;
  }
  return found;
}

bool is_origin(std::string_view text) {
  return text == "null" || wire::parse_host(authority_of(text)).has_value();
}

}  // namespace

Result<WebGuard> WebGuard::create(const Rules& rules) {
  WebGuard guard;
  guard.loopback_ = rules.loopback;
  for (const auto& text : rules.allow_hosts) {
    if (text == "*") {
      guard.any_host_ = true;
      continue;
    }
    auto host = wire::parse_host(text);
    if (!host) {
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--allow-host \"{}\" is not NAME, NAME:PORT or *", text));
    }
    guard.hosts_.push_back(std::move(*host));
  }
  for (const auto& text : rules.allow_origins) {
    if (text == "*") {
      guard.any_origin_ = true;
    } else if (!is_origin(text)) {
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("--allow-origin \"{}\" is not http(s)://HOST[:PORT], null or *", text));
    }
    guard.origins_.push_back(text);
  }
  if (rules.loopback) {
    const bool v6 = rules.bind_host.find(':') != std::string::npos;
    if (auto own = wire::parse_host(v6 ? "[" + rules.bind_host + "]" : rules.bind_host))
      guard.hosts_.push_back(std::move(*own));
  }
  return guard;
}

bool WebGuard::serves(const WebFacts& facts) const {
  if (any_host_) return true;
  // Elsewhere a gateway has names that it does not know until it is told; health probes use its
  // address.
  if (!loopback_ && (hosts_.empty() || facts.about_us)) return true;
  if (!facts.host) return true;  // HTTP/1.0, which no browser speaks
  const auto host = wire::parse_host(*facts.host);
  if (!host) return false;
  if (wire::names_loopback(*host)) return true;
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const wire::HostName& served) {
    return served.name == host->name && (!served.port || served.port == host->port);
  });
}

bool WebGuard::allows(std::string_view origin) const {
  return any_origin_ ||
         std::any_of(origins_.begin(), origins_.end(),
                     [&](const std::string& allowed) { return same_word(allowed, origin); });
}

wire::HttpResult<std::string_view> WebGuard::admit(const WebFacts& facts) const {
  if (!serves(facts)) {
    return wire::refuse(
        ErrorCode::kHostNotAllowed,
        "this gateway does not serve the host name in Host: an operator can allow it with --allow-host");
  }
  if (facts.origin) {
    const auto authority = authority_of(*facts.origin);
    if (facts.host && !authority.empty() && same_word(authority, *facts.host))
      return std::string_view();
    if (allows(*facts.origin)) return *facts.origin;
    return wire::refuse(
        ErrorCode::kOriginNotAllowed,
        "a web page of another origin sent this: an operator can allow its origin with --allow-origin");
  }
  const bool foreign =
      same_word(facts.fetch_site, "cross-site") || same_word(facts.fetch_site, "same-site");
  // A link that a person follows shows the answer to that person, and nothing to the page that had
  // the link.
  const bool followed =
      same_word(facts.fetch_mode, "navigate") && (facts.method == "GET" || facts.method == "HEAD");
  if (foreign && !followed && !any_origin_) {
    return wire::refuse(
        ErrorCode::kOriginNotAllowed,
        "a web page of another origin sent this without naming its origin: it must use fetch() with CORS, and an "
        "operator must allow its origin with --allow-origin");
  }
  return std::string_view();
}

std::string cors_headers(std::string_view origin) {
  return fmt::format(
      "access-control-allow-origin: {}\r\nvary: origin\r\n"
      "access-control-expose-headers: x-request-id, retry-after, allow, preference-applied, idempotent-replayed, "
      "etag, content-range, accept-ranges, mcp-session-id, www-authenticate\r\n",
      origin);
}

std::string preflight_headers(std::string_view origin, std::string_view allow, bool private_network,
                              std::string_view asked) {
  return fmt::format(
      "access-control-allow-origin: {}\r\nvary: origin, access-control-request-method, access-control-request-headers\r\n"
      "access-control-allow-methods: {}\r\n"
      "access-control-allow-headers: content-type, accept, prefer, idempotency-key, last-event-id, range, if-range, "
      "authorization, if-none-match, x-request-id, x-toolway-user, traceparent, tracestate, "
      "mcp-session-id, mcp-protocol-version, mcp-method, mcp-name{}\r\n"
      "access-control-max-age: 600\r\n{}",
      origin, allow, parameter_headers(asked),
      private_network ? "access-control-allow-private-network: true\r\n" : "");
}

}  // namespace toolway::gateway::edge
