// What the in-memory store says of calls that wait for approval.
#include "base/try.h"
#include "proto/approvals.h"
#include "tests/support/in_memory_store.h"

namespace toolway::test {

using persistence::store::CallAndLog;
using persistence::store::CallState;
using persistence::store::Page;
using persistence::store::PageLimit;

CallState InMemoryStore::state_of(const std::string& call_id) const {
  if (completion_of(call_id) != nullptr) return CallState::kCompleted;
  const auto* step = step_of(call_id);
  if (step != nullptr) return step->has_started() ? CallState::kRunning : CallState::kQueued;
  const auto asked = calls_.find(call_id);
  return asked != calls_.end() && proto::waits_for_approval(asked->second.second)
             ? CallState::kHeld
             : CallState::kQueued;
}

CallAndLog InMemoryStore::call_with_log(const std::string& call_id) const {
  CallAndLog found{.request = calls_.at(call_id).second, .last = {}};
  for (const auto& [position, event] : events_) {
    if (event.call_id() == call_id && !(found.last && found.last->has_completed()))
      found.last = event;
  }
  return found;
}

Result<std::optional<CallAndLog>> InMemoryStore::call_and_log(const CallId& call) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  if (!calls_.contains(call.text())) return std::optional<CallAndLog>();
  return std::optional(call_with_log(call.text()));
}

Result<Page<CallAndLog>> InMemoryStore::held_calls(std::string_view tenant,
                                                   const std::optional<CallId>& after,
                                                   PageLimit limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  Page<CallAndLog> page;
  for (const auto& [id, newest] : calls_) {
    const auto& request = newest.second;
    if ((after && id <= after->text()) || !proto::waits_for_approval(request) ||
        request.tenant_id() != tenant || completion_of(id) != nullptr)
      continue;
    page.more = page.size() == limit.rows;
    if (page.more) break;
    page.push_back(call_with_log(id));
  }
  return page;
}

}  // namespace toolway::test
