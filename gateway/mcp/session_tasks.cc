#include "gateway/mcp/session_tasks.h"

#include <utility>

#include "base/try.h"
#include "gateway/mcp/approval_question.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::mcp {

loop::Task<wire::HttpResult<TaskFacts>> SessionTasks::find(std::string id) const {
  CO_ASSIGN_OR_RETURN(auto facts, co_await read(caller, session_key, std::move(id)));
  if (facts.call.session_key != session_key)
    co_return wire::refuse(ErrorCode::kUnknownCall, "this session has no such call");
  facts.times = context.task_times(proto::qualified_name(facts.call.labels));
  const auto policy = context.plan.policies.in_force();
  if (asks_forms)
    facts.approval = approval_question(facts.last, caller, policy ? policy->policy : nullptr);
  co_return std::move(facts);
}

tools::model::RegisteredToolPtr SessionTasks::tool_of(const TaskFacts& facts) const {
  const auto& labels = facts.call.labels;
  return context.plan.registry.now()->find(labels.namespace_(), labels.tool());
}

Json SessionTasks::detailed(const TaskFacts& facts) const {
  static const tools::model::Spec kNone;
  const auto tool = tool_of(facts);
  return detailed_task(facts, tool ? tool->spec() : kNone, toolway::mcp::Revision::k2026_07_28);
}

}  // namespace toolway::gateway::mcp
