#pragma once

#include "gateway/answers/held_page.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway {

/// What showing calls needs.
struct CallsContext {
  const CallSearch& search;
  Sessions& sessions;
  const PageSources& pages;
  const tools::LiveRegistry& registry;
};

Task<Answer<Response>> show_call(const CallsContext& context, const Asked& asked);
Task<Answer<Response>> list_calls(const CallsContext& context, const Asked& asked);

}  // namespace toolway::gateway
