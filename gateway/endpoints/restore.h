#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// What a login needs.
struct RestoreContext {
  Sessions& sessions;
  ToolsView& tools;
  const tools::LiveRegistry& registry;
  const MailboxContext& mailbox;
  const AnswerRoom& answers;
  const Clock& clock;
};

/// Opens a closed session again, and shows it as opening one does, with the first of its
/// unread completions; one that is open is shown so too. Errors: as Sessions::change.
Task<Answer<Response>> restore(const RestoreContext& context, const Caller& caller,
                               std::string session_id);

Task<Answer<Response>> restore_session(const RestoreContext& context, const Asked& asked);

}  // namespace toolway::gateway
