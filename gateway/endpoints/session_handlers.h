#pragma once

#include "gateway/endpoints/restore.h"

namespace toolway::gateway {

/// What opening and showing sessions needs.
struct SessionsContext {
  Sessions& sessions;
  ToolsView& tools;
  const tools::LiveRegistry& registry;
  const RecordWatch& recorded;
  const PageSources& pages;
  const AnswerRoom& answers;
};

/// `closed`: for a session of that name that is closed.
Task<Answer<Response>> open_session(const SessionsContext& context, const RestoreContext& closed,
                                    const Asked& asked);
Task<Answer<Response>> show_session(const SessionsContext& context, const Asked& asked);
Task<Answer<Response>> list_sessions(const SessionsContext& context, const Asked& asked);

}  // namespace toolway::gateway
