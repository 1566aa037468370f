#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// Everything that a client can request; what is requested most comes first.
enum class Route {
  kPostCall,
  kPostBatch,
  kPostToolCalls,
  kListCalls,
  kListUserCalls,
  kSessionEvents,
  kShowCall,
  kCallEvents,
  kCallResult,
  kCompletions,
  kAckCompletions,
  kCloseSession,
  kDeleteSession,
  kRestoreSession,
  kAddNamespaces,
  kCancelCall,
  kPostInput,
  kExplainCall,
  kApproveCall,
  kDenyCall,
  kListApprovals,
  kListAudit,
  kPostMessage,
  kListMessages,
  kNewConversation,
  kStopTurn,
  kExportConversation,
  kImportConversation,
  kChatCompletions,
  kResponses,
  kAnthropicMessages,
  kListModels,
  kShowModel,
  kMcp,
  kMcpSession,
  kMcpStream,
  kMcpSessionStream,
  kEndMcp,
  kEndMcpSession,
  kMetadata,
  kMcpMetadata,
  kMcpSessionMetadata,
  kOpenSession,
  kListSessions,
  kShowSession,
  kSessionTools,
  kWorkers,
  kTools,
  kLivez,
  kReadyz,
  kMetrics,
  kOpenApi,
  kErrorPage,
  kApiPage,
  kFrontPage,
  kListSpecs,
  kPutSpecs,
  kRemoveSpecs,
  kSpecHistory,
  kSpecDiff,
  kRollBackSpec,
  kPromoteSpec,
  kListSwitches,
  kSwitchOff,
  kSwitchOn,
  kNone,  ///< nothing matched: for metrics only
};
inline constexpr std::size_t kRoutes = static_cast<std::size_t>(Route::kNone) + 1;

/// The path template of a route with its method, as metrics show it.
std::string_view route_name(Route route);

/// The permission that its callers need, such as `specs:write`; empty: none.
std::string_view permission_of(Route route);

/// What probes and scrapers request all day, also from a gateway that drains.
bool is_about_us(Route route);

/// Whether a POST may come without a body, and then without a type.
bool body_is_optional(Route route);

/// Whether it accepts calls.
bool is_call(Route route);

/// Whether its answer or its effect depends on what is switched off.
bool needs_switches(Route route);

struct Matched {
  Route route = Route::kNone;
  std::string id;  ///< the decoded {s} or {c}; not checked
};

/// Finds the route of a method and a path (as sent, still encoded; escapes
/// are known to be well formed). HEAD is answered as GET. Errors: not_found;
/// method_not_allowed, with `allow`.
HttpResult<Matched> match_route(std::string_view method, std::string_view path);

}  // namespace toolway::gateway::wire
