#pragma once

#include "gateway/answers/held_page.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/live/feed.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What showing events needs, as pages and as streams.
struct EventsContext {
  const CallSearch& search;
  sessions::Sessions& sessions;
  const answers::PageSources& pages;
  const live::FeedSources& feeds;
};

loop::Task<wire::HttpResult<wire::Response>> session_events(const EventsContext& context,
                                                            const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> call_events(const EventsContext& context,
                                                         const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
