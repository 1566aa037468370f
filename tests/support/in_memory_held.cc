// What the in-memory store says of calls that wait for approval.
#include <algorithm>

#include "base/try.h"
#include "proto/approvals.h"
#include "tests/support/in_memory_store.h"

namespace toolway::test {

using persistence::store::CallAndLog;
using persistence::store::CallState;
using persistence::store::HeldCall;
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
  if (!calls_.contains(call.text()) || is_deleted(call.text())) return std::optional<CallAndLog>();
  return std::optional(call_with_log(call.text()));
}

/// As table approvals has it.
HeldCall InMemoryStore::approval_of(const std::string& call_id) const {
  HeldCall found{.call = call_with_log(call_id), .state = "waiting", .decided_at = {}};
  std::optional<v1::CallEvent> about;
  for (const auto& [position, event] : events_) {
    if (event.call_id() != call_id) continue;
    if (event.has_approval_requested() || event.has_approval_decided()) about = event;
    const auto state = proto::held_state_after(event);
    if (state.empty() || state == proto::held_state::kWaiting) continue;
    found.state = state;
    found.decided_at = from_unix_us(event.time_us());
  }
  if (found.state != proto::held_state::kWaiting) found.call.last = about;
  return found;
}

Result<Page<HeldCall>> InMemoryStore::held_calls(const persistence::store::ApprovalFilter& filter,
                                                 const std::optional<CallId>& after,
                                                 PageLimit limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  const bool waiting = filter.states.front() == proto::held_state::kWaiting;
  std::vector<HeldCall> fitting;
  for (const auto& [id, newest] : calls_) {
    const auto& request = newest.second;
    if (!request.has_hold() || request.tenant_id() != filter.tenant || is_deleted(id)) continue;
    if (after && (waiting ? id <= after->text() : id >= after->text())) continue;
    const bool waits = proto::waits_for_approval(request) && completion_of(id) == nullptr;
    auto held = approval_of(id);
    if (waiting) held.state = proto::held_state::kWaiting;
    const bool fits =
        waiting ? waits : std::ranges::find(filter.states, held.state) != filter.states.end();
    if (fits) fitting.push_back(std::move(held));
  }
  if (!waiting) std::ranges::reverse(fitting);
  Page<HeldCall> page;
  page.more = fitting.size() > limit.rows;
  if (page.more) fitting.resize(limit.rows);
  page.assign(fitting.begin(), fitting.end());
  return page;
}

}  // namespace toolway::test
