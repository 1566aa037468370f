#include "gateway/edge/public_url.h"

#include <fmt/format.h>

#include "gateway/wire/host_name.h"
#include "tools/http/http_url.h"

namespace toolway::gateway::edge {

Result<std::string> checked_public_url(std::string_view text) {
  if (text.empty()) return std::string();
  const auto url = tools::http::HttpUrl::parse(text);
  if (!url || url->target != "/")
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("--public-url \"{}\" is not http://HOST[:PORT] or https://HOST[:PORT]", text));
  return url->origin();
}

std::optional<std::string> origin_of(const std::string& public_url,
                                     std::optional<std::string_view> host) {
  if (!public_url.empty()) return public_url;
  const auto named = host ? wire::parse_host(*host) : std::optional<wire::HostName>();
  if (!named) return std::nullopt;
  return named->port ? fmt::format("http://{}:{}", named->name, *named->port)
                     : fmt::format("http://{}", named->name);
}

}  // namespace toolway::gateway::edge
