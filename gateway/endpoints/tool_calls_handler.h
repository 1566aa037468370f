#pragma once

#include "gateway/answers/written_answer.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/endpoints/post_handlers.h"
#include "gateway/endpoints/task_answers.h"

namespace toolway::gateway::endpoints {

/// The calls of a model's message are accepted as others are. `tools`: what a model calls them.
loop::Task<wire::HttpResult<wire::Response>> post_tool_calls(const PostContext& context,
                                                             catalogue::ToolsView& tools,
                                                             const answers::AnswerRoom& answers,
                                                             const TasksContext& tasks,
                                                             const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
