#pragma once

#include "gateway/endpoints/close_handler.h"

namespace toolway::gateway::endpoints {

/// DELETE /v1/sessions/{s}: after 200 neither the session nor its calls exist on any route of any
/// gateway, whatever still arrives, and its name is free. Errors: unknown_session;
/// call_not_completed while calls are in progress, unless it cancels them; collector_behind
/// when it is not known which calls there are, or the deletion is not recorded yet: the request may
/// be sent again.
loop::Task<wire::HttpResult<wire::Response>> delete_session(const CloseContext& context,
                                                            const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
