#pragma once

#include "gateway/endpoints/messages_context.h"

namespace toolway::gateway::endpoints {

/// Begins a conversation of session `?session=` that has the messages of the body, in the form of
/// `?format=`; or adds them to the current one, if it is `?conversation=` and has `?after=`
/// messages. Answers: as of a turn; its result has the conversation, how many messages it has,
/// and what `?repair=true` changed to make them valid. Errors: malformed_json; invalid_request
/// naming up to ten mistakes; payload_too_large (as arguments of a call).
loop::Task<wire::HttpResult<wire::Response>> import_conversation(const MessagesContext& context,
                                                                 const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
