#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What a login needs.
struct RestoreContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const tools::model::LiveRegistry& registry;
  const mailbox::MailboxContext& mailbox;
  const answers::AnswerRoom& answers;
  const Clock& clock;
};

/// Opens a closed session again, and shows it as opening one does, with the first of its
/// unread completions; one that is open is shown so too. Errors: as Sessions::change.
loop::Task<wire::HttpResult<wire::Response>> restore(const RestoreContext& context,
                                                     const wire::RoutedRequest& routed,
                                                     std::string session_id);

loop::Task<wire::HttpResult<wire::Response>> restore_session(const RestoreContext& context,
                                                             const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
