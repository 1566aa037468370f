#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "extensions/chain/chain.h"
#include "gateway/calls/call_context.h"
#include "gateway/calls/call_request.h"
#include "gateway/calls/call_trace.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// A call that may be published.
struct PlannedCall {
  v1::CallRequest request;
  tools::model::RegisteredToolPtr tool;
  CallTrace trace{};
  /// Of the policy: it needs a token, or a place, of each.
  std::vector<extensions::chain::LimitAsked> limits{};
  std::string approval_digest{};  ///< of one that waits for approval (proto/approvals.h)
  std::vector<extensions::ServiceAsked> services{};  ///< that must be asked before it is accepted
  std::vector<std::string> roles{};                  ///< of the caller; only for those services
};

/// Decides whether a call is accepted. Pure. Errors: session_closed, unknown_tool with
/// suggestions, ambiguous_tool, permission_denied, tool_disabled, invalid_arguments,
/// invalid_request (a raised limit).
wire::HttpResult<PlannedCall> plan_call(const CallContext& context, CallBody body, CallId id,
                                        WallTime now);

/// The same in steps, since arguments may be checked elsewhere. First the tool, in the version
/// that the session gets.
wire::HttpResult<tools::model::RegisteredToolPtr> find_tool(const CallContext& context,
                                                            std::string_view asked);
/// The problem when the input schema says that the arguments are wrong.
wire::Problem wrong_arguments(std::vector<tools::schema::Violation> violations);
/// Then the call, once its arguments are valid.
wire::HttpResult<PlannedCall> make_call(const CallContext& context,
                                        const tools::model::RegisteredToolPtr& tool, CallBody body,
                                        CallId id, WallTime now);

/// The names nearest to `asked` among the tools that the session is offered, nearest first, at
/// most three.
std::vector<std::string> nearest_tools(const CallContext& context, std::string_view asked);

}  // namespace toolway::gateway::calls
