#include "gateway/wire/route.h"

#include <algorithm>

#include "base/text.h"
#include "gateway/wire/target.h"

namespace toolway::gateway::wire {
namespace {

enum class Kind {
  kPlain,
  kNeedsSwitches,
  kCalls,  ///< needs the switches, too
  kAboutUs,
};

struct Row {
  Route route;
  std::string_view name;  ///< the method and the path, where `{…}` matches one segment
  Kind kind = Kind::kPlain;
  std::string_view permission = {};

  constexpr std::string_view method() const { return name.substr(0, name.find(' ')); }
  constexpr std::string_view path() const { return name.substr(name.find(' ') + 1); }
};

constexpr std::string_view kReadAudit = "audit:read";
constexpr std::string_view kReadSpecs = "specs:read";
constexpr std::string_view kWriteSpecs = "specs:write";
constexpr std::string_view kReadSwitches = "switches:read";
constexpr std::string_view kWriteSwitches = "switches:write";

constexpr std::array kTable{
    Row{Route::kPostCall, "POST /v1/sessions/{s}/calls", Kind::kCalls},
    Row{Route::kPostBatch, "POST /v1/sessions/{s}/calls:batch", Kind::kCalls},
    Row{Route::kPostToolCalls, "POST /v1/sessions/{s}/tool_calls", Kind::kCalls},
    Row{Route::kListCalls, "GET /v1/sessions/{s}/calls"},
    Row{Route::kListUserCalls, "GET /v1/calls"},
    Row{Route::kSessionEvents, "GET /v1/sessions/{s}/events"},
    Row{Route::kShowCall, "GET /v1/calls/{c}"},
    Row{Route::kCallEvents, "GET /v1/calls/{c}/events"},
    Row{Route::kCallResult, "GET /v1/calls/{c}/result"},
    Row{Route::kCompletions, "GET /v1/sessions/{s}/completions"},
    Row{Route::kAckCompletions, "POST /v1/sessions/{s}/completions:ack"},
    Row{Route::kCloseSession, "POST /v1/sessions/{s}/close", Kind::kNeedsSwitches},
    Row{Route::kDeleteSession, "DELETE /v1/sessions/{s}"},
    Row{Route::kRestoreSession, "POST /v1/sessions/{s}/restore", Kind::kNeedsSwitches},
    Row{Route::kAddNamespaces, "POST /v1/sessions/{s}/namespaces", Kind::kNeedsSwitches},
    Row{Route::kCancelCall, "POST /v1/calls/{c}/cancel"},
    Row{Route::kPostInput, "POST /v1/calls/{c}/input"},
    Row{Route::kExplainCall, "GET /v1/calls/{c}/explain"},
    Row{Route::kApproveCall, "POST /v1/calls/{c}/approve", Kind::kNeedsSwitches},
    Row{Route::kDenyCall, "POST /v1/calls/{c}/deny", Kind::kNeedsSwitches},
    Row{Route::kListApprovals, "GET /v1/approvals", Kind::kNeedsSwitches},
    Row{Route::kListAudit, "GET /v1/audit", Kind::kPlain, kReadAudit},
    Row{Route::kPostMessage, "POST /v1/sessions/{s}/messages", Kind::kCalls},
    Row{Route::kListMessages, "GET /v1/sessions/{s}/messages"},
    Row{Route::kNewConversation, "POST /v1/sessions/{s}/conversations", Kind::kCalls},
    Row{Route::kStopTurn, "POST /v1/sessions/{s}/stop"},
    Row{Route::kExportConversation, "GET /v1/sessions/{s}/export"},
    Row{Route::kImportConversation, "POST /v1/conversations:import", Kind::kCalls},
    Row{Route::kChatCompletions, "POST /v1/chat/completions", Kind::kCalls},
    Row{Route::kResponses, "POST /v1/responses", Kind::kCalls},
    Row{Route::kAnthropicMessages, "POST /v1/messages", Kind::kCalls},
    Row{Route::kListModels, "GET /v1/models"},
    Row{Route::kShowModel, "GET /v1/models/{m}"},
    Row{Route::kMcp, "POST /mcp", Kind::kCalls},
    Row{Route::kMcpSession, "POST /mcp/{s}", Kind::kCalls},
    Row{Route::kMcpStream, "GET /mcp", Kind::kNeedsSwitches},
    Row{Route::kMcpSessionStream, "GET /mcp/{s}", Kind::kNeedsSwitches},
    Row{Route::kEndMcp, "DELETE /mcp"},
    Row{Route::kEndMcpSession, "DELETE /mcp/{s}"},
    Row{Route::kMetadata, "GET /.well-known/oauth-protected-resource"},
    Row{Route::kMcpMetadata, "GET /.well-known/oauth-protected-resource/mcp"},
    Row{Route::kMcpSessionMetadata, "GET /.well-known/oauth-protected-resource/mcp/{s}"},
    Row{Route::kOpenSession, "POST /v1/sessions", Kind::kNeedsSwitches},
    Row{Route::kListSessions, "GET /v1/sessions"},
    Row{Route::kShowSession, "GET /v1/sessions/{s}"},
    Row{Route::kSessionTools, "GET /v1/sessions/{s}/tools", Kind::kNeedsSwitches},
    Row{Route::kWorkers, "GET /v1/workers", Kind::kNeedsSwitches},
    Row{Route::kTools, "GET /v1/tools", Kind::kNeedsSwitches},
    Row{Route::kLivez, "GET /livez", Kind::kAboutUs},
    Row{Route::kReadyz, "GET /readyz", Kind::kAboutUs},
    Row{Route::kMetrics, "GET /metrics", Kind::kAboutUs},
    Row{Route::kOpenApi, "GET /openapi.yaml"},
    Row{Route::kErrorPage, "GET /errors/{code}"},
    Row{Route::kApiPage, "GET /docs"},
    Row{Route::kFrontPage, "GET /"},
    Row{Route::kListSpecs, "GET /v1/specs", Kind::kPlain, kReadSpecs},
    Row{Route::kPutSpecs, "POST /v1/specs", Kind::kPlain, kWriteSpecs},
    Row{Route::kRemoveSpecs, "POST /v1/specs:remove", Kind::kPlain, kWriteSpecs},
    Row{Route::kSpecHistory, "GET /v1/specs/{name}/history", Kind::kPlain, kReadSpecs},
    Row{Route::kSpecDiff, "GET /v1/specs/{name}/diff", Kind::kPlain, kReadSpecs},
    Row{Route::kRollBackSpec, "POST /v1/specs/{name}/rollback", Kind::kPlain, kWriteSpecs},
    Row{Route::kPromoteSpec, "POST /v1/specs/{name}/promote", Kind::kPlain, kWriteSpecs},
    Row{Route::kListSwitches, "GET /v1/switches", Kind::kNeedsSwitches, kReadSwitches},
    Row{Route::kSwitchOff, "PUT /v1/switches/{name}", Kind::kNeedsSwitches, kWriteSwitches},
    Row{Route::kSwitchOn, "DELETE /v1/switches/{name}", Kind::kNeedsSwitches, kWriteSwitches},
    Row{Route::kNone, "none"},
};
static_assert(kTable.size() == kRoutes);
static_assert(std::ranges::all_of(kTable, [](const Row& row) {
  return &row == &kTable[static_cast<std::size_t>(row.route)];
}));

const Row& row_of(Route route) { return kTable[static_cast<std::size_t>(route)]; }

/// Whether `path` fits; `id` becomes the segment under `{…}`.
bool fits(std::string_view pattern, std::string_view path, std::string_view& id) {
  const auto hole = pattern.find('{');
  if (hole == std::string_view::npos) return pattern == path;
  const auto before = pattern.substr(0, hole);
  const auto after = pattern.substr(pattern.find('}') + 1);
  if (path.size() < before.size() + after.size() || path.substr(0, before.size()) != before ||
      path.substr(path.size() - after.size()) != after) {
    return false;
  }
  id = path.substr(before.size(), path.size() - before.size() - after.size());
  return id.find('/') == std::string_view::npos;
}

}  // namespace

std::string_view route_name(Route route) { return row_of(route).name; }

std::string_view permission_of(Route route) { return row_of(route).permission; }

bool is_about_us(Route route) { return row_of(route).kind == Kind::kAboutUs; }

bool body_is_optional(Route route) {
  constexpr std::array kRoutesOfThese{
      Route::kCloseSession, Route::kRestoreSession,  Route::kCancelCall, Route::kApproveCall,
      Route::kDenyCall,     Route::kNewConversation, Route::kStopTurn};
  return std::ranges::find(kRoutesOfThese, route) != kRoutesOfThese.end();
}

bool is_call(Route route) { return row_of(route).kind == Kind::kCalls; }

bool needs_switches(Route route) {
  return is_call(route) || row_of(route).kind == Kind::kNeedsSwitches;
}

HttpResult<Matched> match_route(std::string_view method, std::string_view path) {
  const std::string_view asked = method == "HEAD" ? std::string_view("GET") : method;
  std::string allow;
  for (const Row& row : kTable) {
    std::string_view id;
    if (row.route == Route::kNone || !fits(row.path(), path, id)) continue;
    if (row.method() == asked) {
      auto decoded = percent_decoded(id);
      if (!decoded) return refuse(ErrorCode::kInvalidIdentifier, "bad percent-encoding");
      return Matched{row.route, std::move(*decoded)};
    }
    if (!allow.empty()) allow += ", ";
    allow += row.method() == "GET" ? "GET, HEAD" : row.method();
  }
  if (allow.empty()) {
    return refuse(ErrorCode::kNotFound, "nothing is served at this path; see /docs");
  }
  Problem problem{.error = Error{ErrorCode::kMethodNotAllowed, "this path takes " + allow}};
  problem.allow = std::move(allow);
  return refuse(std::move(problem));
}

}  // namespace toolway::gateway::wire
