#include "gateway/mcp/session_tasks.h"

#include <utility>

#include "base/try.h"
#include "gateway/mcp/approval_question.h"
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
  const auto tool = tool_of(facts);
  WholeResult whole;
  if (facts.call.completion) {
    v1::CallRequest ids;
    ids.set_call_id(facts.call.call_id);
    ids.set_session_key(session_key);
    auto completion = *facts.call.completion;
    whole = co_await whole_result(read_result, caller, std::move(completion), std::move(ids), tool,
                                  kRevision);
  }
  room = std::move(whole.memory);
  const bool large = whole.text.size() > loop::WorkPool::kSmall;
  auto write = [facts, tool, text = std::move(whole.text)]() -> Result<Json> {
    static const tools::model::Spec kNone;
    return detailed_task(facts, tool ? tool->spec() : kNone, kRevision, text);
  };
  if (!large) co_return *write();
  auto written = co_await context.plan.threads.run<Json>(std::move(write));
  co_return written ? std::move(*written) : task_json(facts, kRevision);
}

}  // namespace toolway::gateway::mcp
