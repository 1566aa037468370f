#pragma once

#include "extensions/chain/policy_board.h"
#include "gateway/answers/held_page.h"
#include "gateway/calls/decide.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What deciding about calls needs.
struct ApprovalsContext {
  const CallSearch& search;
  const answers::PageSources& pages;
  const extensions::chain::PolicyBoard& policies;
  calls::DecideContext decide;
};

/// What someone says about a held call.
struct Vote {
  bool approve = false;
  std::string reason{};
};
/// Errors: unknown_call, permission_denied, and those of `calls::decide`.
loop::Task<wire::HttpResult<calls::Decided>> vote_on(const ApprovalsContext& context,
                                                     const wire::Caller& caller,
                                                     std::string call_id, Vote vote);

// POST /v1/calls/{c}/approve and /deny
loop::Task<wire::HttpResult<wire::Response>> approve_call(const ApprovalsContext& context,
                                                          const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> deny_call(const ApprovalsContext& context,
                                                       const wire::RoutedRequest& routed);
// GET /v1/approvals
loop::Task<wire::HttpResult<wire::Response>> list_approvals(const ApprovalsContext& context,
                                                            const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
