#include "gateway/wire/request_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/digits.h"
#include "base/text.h"
#include "gateway/wire/host_name.h"

namespace toolway::gateway::wire {
namespace {

Problem broken(std::string message) {
  return Problem{.error = Error{ErrorCode::kInvalidRequest, std::move(message)}, .status = 400};
}

/// Of two such lines, a proxy and this gateway might each take a different one.
constexpr std::array<std::string_view, 16> kOnce{
    "Host",      "Content-Length",      "Content-Type",   "X-Toolway-User",       "Idempotency-Key",
    "Origin",    "Last-Event-ID",       "Range",          "Transfer-Encoding",    "Authorization",
    "X-Api-Key", "X-Toolway-On-Behalf", "MCP-Session-Id", "MCP-Protocol-Version", "Mcp-Method",
    "Mcp-Name"};

/// Nearly all names differ in length.
bool is_named(const HeaderLine& line, std::string_view name) {
  return line.name.size() == name.size() && same_word(line.name, name);
}

std::optional<Problem> refuse_length(const RequestHead& head) {
  const auto length = head.find("Content-Length");
  const auto encoding = head.find("Transfer-Encoding");
  if (length && !is_digits(*length)) return broken("Content-Length is not a number");
  if (!encoding) return std::nullopt;
  if (length) return broken("Content-Length and Transfer-Encoding exclude each other");
  if (head.version < 11) return broken("HTTP/1.0 has no Transfer-Encoding");
  if (!same_word(*encoding, "chunked"))
    return broken("the only Transfer-Encoding accepted is `chunked`");
  return std::nullopt;
}

/// The authority of an absolute target (RFC 9112 §3.2.2).
std::optional<std::string_view> authority_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() < scheme.size() || !same_word(target.substr(0, scheme.size()), scheme))
      continue;
    target.remove_prefix(scheme.size());
    return target.substr(0, target.find_first_of("/?#"));
  }
  return std::nullopt;
}

std::optional<Problem> refuse_host(const RequestHead& head) {
  const auto host = head.find("Host");
  if (!host) {
    if (head.version < 11) return std::nullopt;
    return broken("the header Host is missing");
  }
  if (!host->empty() && !parse_host(*host)) return broken("Host is not NAME or NAME:PORT");
  const auto authority = authority_of(head.target);
  if (authority && !same_word(*authority, *host))
    return broken("Host does not match the host of the request's target");
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> RequestHead::find(std::string_view name) const {
  for (const auto& line : lines) {
    if (is_named(line, name)) return line.value;
  }
  return std::nullopt;
}

std::size_t RequestHead::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const HeaderLine& line) { return is_named(line, name); }));
}

std::string RequestHead::joined(std::string_view name) const {
  std::string whole;
  bool first = true;
  for (const auto& line : lines) {
    if (!is_named(line, name)) continue;
    if (!first) whole += ',';
    first = false;
    whole += line.value;
  }
  return whole;
}

std::optional<Problem> refuse_head(const RequestHead& head) {
  for (const auto name : kOnce) {
    if (head.count(name) > 1)
      return broken(fmt::format("the header {} appears more than once", name));
  }
  if (auto problem = refuse_length(head)) return problem;
  return refuse_host(head);
}

}  // namespace toolway::gateway::wire
