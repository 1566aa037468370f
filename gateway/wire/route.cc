#include "gateway/wire/route.h"

#include "base/text.h"
#include "gateway/wire/target.h"

namespace toolway::gateway::wire {
namespace {

struct Entry {
  Route route;
  std::string_view method;
  std::string_view path;  ///< `{}` matches one segment
};

constexpr std::array kTable{
    Entry{Route::kPostCall, "POST", "/v1/sessions/{}/calls"},
    Entry{Route::kPostBatch, "POST", "/v1/sessions/{}/calls:batch"},
    Entry{Route::kPostToolCalls, "POST", "/v1/sessions/{}/tool_calls"},
    Entry{Route::kListCalls, "GET", "/v1/sessions/{}/calls"},
    Entry{Route::kSessionEvents, "GET", "/v1/sessions/{}/events"},
    Entry{Route::kShowCall, "GET", "/v1/calls/{}"},
    Entry{Route::kCallEvents, "GET", "/v1/calls/{}/events"},
    Entry{Route::kCallResult, "GET", "/v1/calls/{}/result"},
    Entry{Route::kCompletions, "GET", "/v1/sessions/{}/completions"},
    Entry{Route::kAckCompletions, "POST", "/v1/sessions/{}/completions:ack"},
    Entry{Route::kCloseSession, "POST", "/v1/sessions/{}/close"},
    Entry{Route::kRestoreSession, "POST", "/v1/sessions/{}/restore"},
    Entry{Route::kCancelCall, "POST", "/v1/calls/{}/cancel"},
    Entry{Route::kExplainCall, "GET", "/v1/calls/{}/explain"},
    Entry{Route::kOpenSession, "POST", "/v1/sessions"},
    Entry{Route::kListSessions, "GET", "/v1/sessions"},
    Entry{Route::kShowSession, "GET", "/v1/sessions/{}"},
    Entry{Route::kSessionTools, "GET", "/v1/sessions/{}/tools"},
    Entry{Route::kWorkers, "GET", "/v1/workers"},
    Entry{Route::kTools, "GET", "/v1/tools"},
    Entry{Route::kLivez, "GET", "/livez"},
    Entry{Route::kReadyz, "GET", "/readyz"},
    Entry{Route::kMetrics, "GET", "/metrics"},
    Entry{Route::kOpenApi, "GET", "/openapi.yaml"},
    Entry{Route::kErrorPage, "GET", "/errors/{}"},
};

/// Whether `path` fits; `id` becomes the segment under `{}`.
bool fits(std::string_view pattern, std::string_view path, std::string_view& id) {
  const auto hole = pattern.find("{}");
  if (hole == std::string_view::npos) return pattern == path;
  const auto before = pattern.substr(0, hole);
  const auto after = pattern.substr(hole + 2);
  if (path.size() < before.size() + after.size() || path.substr(0, before.size()) != before ||
      path.substr(path.size() - after.size()) != after) {
    return false;
  }
  id = path.substr(before.size(), path.size() - before.size() - after.size());
  return id.find('/') == std::string_view::npos;
}

}  // namespace

std::string_view route_name(Route route) {
  switch (route) {
    case Route::kOpenSession: return "POST /v1/sessions";
    case Route::kListSessions: return "GET /v1/sessions";
    case Route::kShowSession: return "GET /v1/sessions/{s}";
    case Route::kCloseSession: return "POST /v1/sessions/{s}/close";
    case Route::kRestoreSession: return "POST /v1/sessions/{s}/restore";
    case Route::kCompletions: return "GET /v1/sessions/{s}/completions";
    case Route::kAckCompletions: return "POST /v1/sessions/{s}/completions:ack";
    case Route::kSessionTools: return "GET /v1/sessions/{s}/tools";
    case Route::kPostCall: return "POST /v1/sessions/{s}/calls";
    case Route::kPostBatch: return "POST /v1/sessions/{s}/calls:batch";
    case Route::kPostToolCalls: return "POST /v1/sessions/{s}/tool_calls";
    case Route::kListCalls: return "GET /v1/sessions/{s}/calls";
    case Route::kSessionEvents: return "GET /v1/sessions/{s}/events";
    case Route::kShowCall: return "GET /v1/calls/{c}";
    case Route::kCallEvents: return "GET /v1/calls/{c}/events";
    case Route::kCallResult: return "GET /v1/calls/{c}/result";
    case Route::kCancelCall: return "POST /v1/calls/{c}/cancel";
    case Route::kExplainCall: return "GET /v1/calls/{c}/explain";
    case Route::kWorkers: return "GET /v1/workers";
    case Route::kTools: return "GET /v1/tools";
    case Route::kLivez: return "GET /livez";
    case Route::kReadyz: return "GET /readyz";
    case Route::kMetrics: return "GET /metrics";
    case Route::kOpenApi: return "GET /openapi.yaml";
    case Route::kErrorPage: return "GET /errors/{code}";
    case Route::kNone: return "none";
  }
  return "none";
}

bool is_about_us(Route route) {
  return route == Route::kLivez || route == Route::kReadyz || route == Route::kMetrics;
}

HttpResult<Matched> match_route(std::string_view method, std::string_view path) {
  const std::string_view asked = method == "HEAD" ? std::string_view("GET") : method;
  std::string allow;
  for (const Entry& entry : kTable) {
    std::string_view id;
    if (!fits(entry.path, path, id)) continue;
    if (entry.method == asked) {
      auto decoded = percent_decoded(id);
      if (!decoded) return refuse(ErrorCode::kInvalidIdentifier, "bad percent-encoding");
      return Matched{entry.route, std::move(*decoded)};
    }
    if (!allow.empty()) allow += ", ";
    allow += entry.method == "GET" ? "GET, HEAD" : entry.method;
  }
  if (allow.empty()) {
    return refuse(ErrorCode::kNotFound, "nothing is served at this path; see /openapi.yaml");
  }
  Problem problem{.error = Error{ErrorCode::kMethodNotAllowed, "this path takes " + allow}};
  problem.allow = std::move(allow);
  return refuse(std::move(problem));
}

}  // namespace toolway::gateway::wire
