#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/endpoints/post_handlers.h"

namespace toolway::gateway {

/// The calls of a model's message are accepted as others are. `tools`: what a model calls them.
Task<Answer<Response>> post_tool_calls(const PostContext& context, ToolsView& tools,
                                       const AnswerRoom& answers, const Asked& asked);

}  // namespace toolway::gateway
