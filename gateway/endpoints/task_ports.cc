#include "gateway/endpoints/task_ports.h"

#include <algorithm>

#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

constexpr std::chrono::seconds kRecordWait{1};
constexpr std::chrono::milliseconds kStreamsWait{400};
constexpr std::size_t kPageTasks = 100;

/// With the end of its log.
loop::Task<void> bring_up_to_date(loop::AsyncBus& bus, mcp::TaskFacts& facts) {
  const auto session = SessionKey::parse(facts.call.session_key);
  const auto id = CallId::parse(facts.call.call_id);
  if (facts.call.completion || !session || !id) co_return;
  auto last = co_await bus.last_message(proto::kEventsStream, proto::event_subject(*session, *id));
  if (!last) co_return;  // without the bus, the record is all there is
  auto event = proto::decode_event(last->payload);
  if (!event) co_return;
  calls::apply_event(facts.call, *event);
  facts.last = std::move(*event);
}

/// What CALLS has and the store lacks, newest first.
loop::Task<std::vector<mcp::TaskFacts>> unrecorded(const CallSearch& search, SessionKey session) {
  auto found = co_await calls::unrecorded_calls(search.bus, search.clock, session,
                                                search.clock.monotonic() + kStreamsWait);
  std::vector<mcp::TaskFacts> tasks;
  for (auto call = found.calls.rbegin(); call != found.calls.rend(); ++call)
    tasks.emplace_back(std::move(call->call));
  if (tasks.size() > kPageTasks) tasks.erase(tasks.begin() + kPageTasks, tasks.end());
  co_return tasks;
}

}  // namespace

loop::Task<wire::HttpResult<mcp::TaskFacts>> read_task(const CallSearch& search,
                                                       const calls::StreamSearch& streams,
                                                       const wire::Caller& caller, std::string id) {
  const auto deadline = search.clock.monotonic() + calls::LogEdit::kTimeLimit;
  CO_ASSIGN_OR_RETURN(auto known, co_await find_to_change(search, streams, caller, id, deadline));
  mcp::TaskFacts facts(std::move(known.call));
  co_await bring_up_to_date(search.bus, facts);
  co_return std::move(facts);
}

loop::Task<wire::HttpResult<mcp::TaskPage>> list_tasks(const CallSearch& search,
                                                       const answers::PageSources& pages,
                                                       SessionKey session,
                                                       std::optional<CallId> before) {
  const auto due = search.clock.monotonic();
  mcp::TaskPage page;
  const auto recorded =
      co_await mailbox::await_session_recorded(search.recorded, session, kRecordWait);
  if (recorded != mailbox::Recorded::kAll && !before)
    page.tasks = co_await unrecorded(search, session);
  auto read = [session, before](persistence::store::StoreReader& store) {
    return store.calls_of_session(session, persistence::store::CallState::kAny, before, kPageTasks);
  };
  CO_ASSIGN_OR_RETURN(auto rows,
                      co_await answers::read_held_page<RecordedCall>(pages, due, std::move(read)));
  page.more = rows.rows.more;
  const auto unrecorded_tasks = page.tasks.size();
  for (auto& row : rows.rows) {
    const auto same = [&](const mcp::TaskFacts& task) { return task.call.call_id == row.call_id; };
    const auto end = page.tasks.begin() + static_cast<std::ptrdiff_t>(unrecorded_tasks);
    if (std::none_of(page.tasks.begin(), end, same)) page.tasks.emplace_back(std::move(row));
  }
  for (auto& task : page.tasks) co_await bring_up_to_date(search.bus, task);
  page.memory = std::move(rows.memory);
  co_return std::move(page);
}

}  // namespace toolway::gateway::endpoints
