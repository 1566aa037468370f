#pragma once

#include "bus/switch_board.h"
#include "gateway/answers/written_answer.h"
#include "gateway/calls/cancel.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/mailbox/manifest.h"
#include "gateway/mailbox/session_wait.h"
#include "gateway/sessions/close_request.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What a logout needs.
struct CloseContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const tools::model::LiveRegistry& registry;
  const bus::SwitchBoard& switches;
  const mailbox::RecordWatch& recorded;
  const answers::PageSources& pages;
  const mailbox::SessionWaitContext& waits;
  const calls::CancelContext& cancel;
  const answers::AnswerRoom& answers;
  calls::CallCounters& counters;
  const loop::Drain& drain;  ///< no more calls are cancelled once it has begun
  const Clock& clock;
};

/// A session that is closed, and what became of its calls until then.
struct EndedSession {
  sessions::SessionPtr session;
  mailbox::Manifest manifest;
  mailbox::Waiting waiting = mailbox::Waiting::kNot;
};

/// Closes a session, and waits for its calls as the request says. Errors: as Sessions::change;
/// overloaded.
loop::Task<wire::HttpResult<EndedSession>> end_session(const CloseContext& context,
                                                       const wire::RoutedRequest& routed,
                                                       sessions::CloseRequest request);

loop::Task<wire::HttpResult<wire::Response>> close_session(const CloseContext& context,
                                                           const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
