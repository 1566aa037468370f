#pragma once

#include "gateway/loop/async_store.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What reading the audit needs.
struct AuditContext {
  loop::AsyncStore& store;
  wire::MemoryBudget& memory;
  const Clock& clock;
};

/// Records of the caller's tenant; operators may read those of all. Errors: invalid_request,
/// invalid_cursor, store_unavailable, overloaded.
loop::Task<wire::HttpResult<wire::Response>> list_audit(const AuditContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
