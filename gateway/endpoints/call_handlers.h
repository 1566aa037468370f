#pragma once

#include "gateway/answers/held_page.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::endpoints {

/// What showing calls needs.
struct CallsContext {
  const CallSearch& search;
  sessions::Sessions& sessions;
  const answers::PageSources& pages;
  const tools::model::LiveRegistry& registry;
};

loop::Task<wire::HttpResult<wire::Response>> show_call(const CallsContext& context,
                                                       const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> list_calls(const CallsContext& context,
                                                        const wire::RoutedRequest& routed);
/// Those of all of the caller's sessions.
loop::Task<wire::HttpResult<wire::Response>> list_user_calls(const CallsContext& context,
                                                             const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
