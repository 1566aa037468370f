#pragma once

#include "gateway/mailbox/mailbox.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What reading and acknowledging completions needs.
struct CompletionsContext {
  sessions::Sessions& sessions;
  const mailbox::MailboxContext& mailbox;
  loop::AsyncStore& store;
};

loop::Task<wire::HttpResult<wire::Response>> list_completions(const CompletionsContext& context,
                                                              const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> ack_completions(const CompletionsContext& context,
                                                             const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
