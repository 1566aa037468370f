#include "gateway/server/server_span.h"

#include <algorithm>
#include <array>

namespace toolway::gateway::server {
namespace {

/// How much of a path is shown: what fits no route may be anything.
constexpr std::size_t kMaxPathLength = 256;

/// The conventions want `_OTHER` for any method except these (RFC 9110 §9, RFC 5789).
bool known_method(std::string_view method) {
  constexpr std::array<std::string_view, 9> kMethods{
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

/// Attributes are UTF-8, and a target need not be.
std::string shown_path(std::string_view target) {
  std::string path(target.substr(0, target.find('?')).substr(0, kMaxPathLength));
  std::replace_if(path.begin(), path.end(), [](char c) { return c <= ' ' || c > '~'; }, '?');
  return path;
}

}  // namespace

RequestSpan::RequestSpan(monitoring::Tracer& tracer, const Clock& clock, wire::Request& request)
    : tracer_(tracer), clock_(clock), parent_(std::move(request.trace)), begun_(clock.wall()) {
  request.trace = tracer_.start(parent_);
}

void RequestSpan::answered(const wire::Request& request, wire::Route route, unsigned status) const {
  if (!request.trace.sampled || !tracer_.records() || wire::is_about_us(route)) return;
  auto span = server_span(request, route, status);
  span.context = request.trace;
  span.parent = parent_;
  span.start = begun_;
  span.end = clock_.wall();
  tracer_.end(std::move(span));
}

monitoring::Span server_span(const wire::Request& request, wire::Route route, unsigned status) {
  const bool known = known_method(request.method);
  monitoring::Span span;
  span.kind = monitoring::SpanKind::kServer;
  span.name = known ? std::string(request.method) : "HTTP";
  span.attributes = {{"http.request.method", known ? std::string(request.method) : "_OTHER"},
                     {"url.scheme", "http"},
                     {"url.path", shown_path(request.target)},
                     {"http.response.status_code", static_cast<std::int64_t>(status)},
                     {"toolway.request.id", request.request_id}};
  if (route != wire::Route::kNone) {
    // A route's name is its method and its template.
    const auto name = wire::route_name(route);
    const std::string path(name.substr(name.find(' ') + 1));
    span.name += " " + path;
    span.attributes.push_back({"http.route", path});
  }
  // An answer that says the client is wrong is a success for a server.
  if (status >= 500) span.error_type = std::to_string(status);
  return span;
}

}  // namespace toolway::gateway::server
