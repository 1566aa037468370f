#pragma once

#include "gateway/mailbox/mailbox.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// What reading and acknowledging completions needs.
struct CompletionsContext {
  Sessions& sessions;
  const MailboxContext& mailbox;
  AsyncStore& store;
};

Task<Answer<Response>> list_completions(const CompletionsContext& context, const Asked& asked);
Task<Answer<Response>> ack_completions(const CompletionsContext& context, const Asked& asked);

}  // namespace toolway::gateway
