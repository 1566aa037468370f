#include "gateway/auth/key_fetch.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tools/http/http_engine.h"
#include "tools/http/http_url.h"

namespace toolway::gateway::auth {
namespace {

namespace http = tools::http;

class Body final : public http::HttpReceiver {
 public:
  Want on_head(const http::HttpHead& head) override {
    status = head.status;
    return Want::kMore;
  }
  Want on_body(std::string_view piece) override {
    text += piece;
    return Want::kMore;
  }
  int status = 0;
  std::string text;
};

Result<http::HttpRequest> request_of(const KeySource& source) {
  auto allowed = source.allow_addresses;
  // The file that names the URL is a root of trust: it may be inside.
  if (const auto url = http::HttpUrl::parse(source.url)) allowed.push_back(url->host);
  ASSIGN_OR_RETURN(auto policy, http::AddressPolicy::create(allowed));
  http::HttpRequest request{.url = source.url, .ca_file = source.ca_file};
  request.headers = {{"Accept", "application/jwk-set+json, application/json"}};
  request.addresses = std::make_shared<const http::AddressPolicy>(std::move(policy));
  request.limits.connect = std::chrono::seconds(5);
  request.limits.total = std::chrono::seconds(10);
  request.limits.max_body_bytes = 1024UL * 1024;
  return request;
}

}  // namespace

Result<FetchKeys> fetch_over_http() {
  ASSIGN_OR_RETURN(auto engine, http::HttpEngine::start({.max_idle_connections = 8}));
  return FetchKeys([engine](const KeySource& source, std::stop_token stop) -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto request, request_of(source));
    Body body;
    const auto end = engine->run(request, body, std::move(stop));
    if (end.why != http::HttpEnd::Why::kComplete)
      return fail(ErrorCode::kBusUnavailable, fmt::format("{}: {}", source.url, end.message));
    if (body.status != 200)
      return fail(ErrorCode::kBusUnavailable,
                  fmt::format("{} answered {}{}", source.url, body.status,
                              body.status >= 300 && body.status < 400
                                  ? ", and redirects are not followed: name the place itself"
                                  : ""));
    return std::move(body.text);
  });
}

}  // namespace toolway::gateway::auth
