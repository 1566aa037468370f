#include "gateway/mcp/task_watch.h"

#include <set>
#include <utility>

#include "base/try.h"

namespace toolway::gateway::mcp {

TaskWatch::TaskWatch(const McpContext& context, ReadTask read, wire::Caller caller,
                     std::string session_key)
    : context_(context),
      read_(std::move(read)),
      caller_(std::move(caller)),
      session_key_(std::move(session_key)) {}

loop::Task<wire::HttpResult<TaskFacts>> TaskWatch::find(std::string id) {
  CO_ASSIGN_OR_RETURN(auto facts, co_await read_(caller_, std::move(id)));
  if (facts.call.session_key != session_key_)
    co_return wire::refuse(ErrorCode::kUnknownCall, "this session has no such call");
  co_return std::move(facts);
}

loop::Task<std::vector<std::string>> TaskWatch::begin(std::vector<std::string> ids) {
  std::set<std::string> looked_for;
  std::vector<std::string> watched;
  for (const auto& id : ids) {
    if (looked_for.size() == kMaxTasks) break;
    if (!looked_for.insert(id).second) continue;
    const auto facts = co_await find(id);
    if (!facts) continue;
    tasks_.push_back({.id = id, .shown = {}, .ended = false});
    watched.push_back(id);
  }
  co_return watched;
}

loop::Task<std::vector<Json>> TaskWatch::changed() {
  static const tools::model::Spec kNone;
  std::vector<Json> changes;
  for (auto& task : tasks_) {
    if (task.ended) continue;
    const auto facts = co_await find(task.id);
    if (!facts) continue;  // it cannot be read now
    const auto& labels = facts->call.labels;
    const auto tool = context_.plan.registry.now()->find(labels.namespace_(), labels.tool());
    auto shown =
        detailed_task(*facts, tool ? tool->spec() : kNone, toolway::mcp::Revision::k2026_07_28);
    auto text = to_text(shown);
    if (text == task.shown) continue;
    task.shown = std::move(text);
    task.ended = has_ended(*facts);
    changes.push_back(std::move(shown));
  }
  co_return changes;
}

}  // namespace toolway::gateway::mcp
