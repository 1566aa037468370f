#pragma once

#include "bus/switch_board.h"
#include "gateway/answers/written_answer.h"
#include "gateway/calls/cancel.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/mailbox/session_wait.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// What a logout needs.
struct CloseContext {
  Sessions& sessions;
  ToolsView& tools;
  const tools::LiveRegistry& registry;
  const bus::SwitchBoard& switches;
  const RecordWatch& recorded;
  const PageSources& pages;
  const SessionWaitContext& waits;
  const CancelContext& cancel;
  const AnswerRoom& answers;
  CallCounters& counters;
  const Drain& drain;  ///< no more calls are cancelled once it has begun
  const Clock& clock;
};

Task<Answer<Response>> close_session(const CloseContext& context, const Asked& asked);

}  // namespace toolway::gateway
