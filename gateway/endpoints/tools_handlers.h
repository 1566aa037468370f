#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What listing tools needs.
struct ToolsContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const answers::AnswerRoom& answers;
};

loop::Task<wire::HttpResult<wire::Response>> session_tools(const ToolsContext& context,
                                                           const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> list_tools(const ToolsContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
