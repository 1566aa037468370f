#include "gateway/mcp/task_watch.h"

#include <set>
#include <utility>

namespace toolway::gateway::mcp {

loop::Task<std::vector<std::string>> TaskWatch::begin(std::vector<std::string> ids) {
  std::set<std::string> looked_for;
  std::vector<std::string> watched;
  for (const auto& id : ids) {
    if (looked_for.size() == kMaxTasks) break;
    if (!looked_for.insert(id).second) continue;
    auto place = of_.context.watched.enter(wire::owner_name(of_.caller));
    if (!place) break;
    const auto facts = co_await of_.find(id);
    if (!facts) continue;
    tasks_.push_back({.id = id, .shown = {}, .ended = false, .place = std::move(place)});
    watched.push_back(id);
  }
  co_return watched;
}

loop::Task<std::vector<Json>> TaskWatch::changed() {
  std::vector<Json> changes;
  for (auto& task : tasks_) {
    if (task.ended) continue;
    const auto facts = co_await of_.find(task.id);
    if (!facts) continue;  // it cannot be read now
    wire::MemoryBudget::Share room;
    auto shown = co_await of_.detailed(*facts, room);
    auto text = to_text(shown);
    if (text == task.shown) continue;
    task.shown = std::move(text);
    task.ended = has_ended(*facts);
    if (task.ended) task.place = {};
    changes.push_back(std::move(shown));
  }
  co_return changes;
}

}  // namespace toolway::gateway::mcp
