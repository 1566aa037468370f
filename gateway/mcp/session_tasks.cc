#include "gateway/mcp/session_tasks.h"

#include <utility>

#include "base/try.h"
#include "gateway/mcp/approval_question.h"
#include "gateway/mcp/tool_result.h"
#include "gateway/mcp/whole_result.h"
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

loop::Task<Json> SessionTasks::detailed(const TaskFacts& facts,
                                        wire::MemoryBudget::Share& room) const {
  constexpr auto kRevision = toolway::mcp::Revision::k2026_07_28;
  static const tools::model::Spec kNone;
  const auto tool = tool_of(facts);
  const auto& spec = tool ? tool->spec() : kNone;
  const auto& completion = facts.call.completion;
  if (!tool || !completion || !needs_whole(completion->completed(), spec, kRevision))
    co_return detailed_task(facts, spec, kRevision);
  auto whole = co_await whole_result(read_result, caller, facts.call.call_id, session_key);
  room = std::move(whole.memory);
  if (whole.text.size() <= loop::WorkPool::kSmall)
    co_return detailed_task(facts, spec, kRevision, whole.text);
  auto write = [facts, tool, text = std::move(whole.text)]() -> Result<Json> {
    return detailed_task(facts, tool->spec(), kRevision, text);
  };
  auto written = co_await context.plan.threads.run<Json>(std::move(write));
  co_return written ? std::move(*written) : task_json(facts, kRevision);
}

}  // namespace toolway::gateway::mcp
