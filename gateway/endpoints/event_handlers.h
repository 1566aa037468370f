#pragma once

#include "gateway/answers/held_page.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/live/feed.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// What showing events needs, as pages and as streams.
struct EventsContext {
  const CallSearch& search;
  Sessions& sessions;
  const PageSources& pages;
  const FeedSources& feeds;
};

Task<Answer<Response>> session_events(const EventsContext& context, const Asked& asked);
Task<Answer<Response>> call_events(const EventsContext& context, const Asked& asked);

}  // namespace toolway::gateway
