#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// What listing tools needs.
struct ToolsContext {
  Sessions& sessions;
  ToolsView& tools;
  const AnswerRoom& answers;
};

Task<Answer<Response>> session_tools(const ToolsContext& context, const Asked& asked);
Task<Answer<Response>> list_tools(const ToolsContext& context, const Asked& asked);

}  // namespace toolway::gateway
