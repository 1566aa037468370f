#pragma once

#include "gateway/calls/cancel.h"
#include "gateway/endpoints/messages_context.h"
#include "gateway/endpoints/session_handlers.h"
#include "tools/exports/model_message.h"

namespace toolway::gateway::endpoints {

/// Answers a request of a model's API by a turn, with the tools of the session that the header
/// X-Toolway-Session names (without it `chat`, opened at first use with all that the caller may
/// use). Errors are problems here, and `refusal` gives them the form of the API. A client that goes
/// away has its turn cancelled, unless it gave an Idempotency-Key, under which it can come back.
loop::Task<wire::HttpResult<wire::Response>> answer_as_model(const MessagesContext& context,
                                                             const SessionsContext& sessions,
                                                             const calls::CancelCall& cancel,
                                                             const wire::RoutedRequest& routed,
                                                             tools::exports::ModelApi api);

}  // namespace toolway::gateway::endpoints
