#include "gateway/endpoints/task_ports.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "gateway/calls/call_json.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

constexpr std::chrono::seconds kRecordWait{1};
constexpr std::chrono::milliseconds kStreamsWait{400};
constexpr std::size_t kPageTasks = 100;

/// What CALLS has and the store lacks, of those older than `before`.
loop::Task<std::vector<RecordedCall>> unrecorded(const CallSearch& search, SessionKey session,
                                                 std::optional<CallId> before) {
  auto found = co_await calls::unrecorded_calls(search.bus, search.clock, session,
                                                search.clock.monotonic() + kStreamsWait);
  std::vector<RecordedCall> calls;
  for (auto& streamed : found.calls)
    if (!before || streamed.call.call_id < before->text())
      calls.push_back(std::move(streamed.call));
  co_return calls;
}

/// Newest first, each once, a page at most: whether there were more.
bool make_page(std::vector<RecordedCall>& calls) {
  std::ranges::stable_sort(calls, std::ranges::greater(), &RecordedCall::call_id);
  const auto twice = std::ranges::unique(calls, std::ranges::equal_to(), &RecordedCall::call_id);
  calls.erase(twice.begin(), twice.end());
  if (calls.size() <= kPageTasks) return false;
  calls.erase(calls.begin() + kPageTasks, calls.end());
  return true;
}

/// Events do not leave the stream that fast: a call of that age without one has none.
constexpr std::chrono::seconds kYoung{30};

/// By what the streams say alone. Nothing: its events have left them, it is not this caller's, or
/// it waits for longer and has none yet.
loop::Task<std::optional<mcp::TaskFacts>> by_streams(loop::AsyncBus& bus,
                                                     const calls::StreamSearch& streams,
                                                     const wire::Caller& caller,
                                                     std::string session_key, std::string id) {
  const auto call_id = CallId::parse(id);
  if (!call_id) co_return std::nullopt;
  auto event = co_await last_event(bus, session_key, id);
  if (!event && event.error().code == ErrorCode::kNotFound) {
    auto accepted = co_await calls::accepted_lately(streams, caller, *call_id, kYoung);
    if (!accepted) co_return std::nullopt;
    co_return mcp::TaskFacts(std::move(accepted->call));
  }
  if (!event || !wire::owns(caller, event->tenant_id(), event->user_id())) co_return std::nullopt;
  mcp::TaskFacts facts(calls::call_of(*event));
  if (!facts.call.completion) facts.last = std::move(*event);
  co_return std::move(facts);
}

}  // namespace

loop::Task<wire::HttpResult<mcp::TaskFacts>> read_task(const CallSearch& search,
                                                       const calls::StreamSearch& streams,
                                                       const wire::Caller& caller,
                                                       std::string session_key, std::string id) {
  if (auto facts = co_await by_streams(search.bus, streams, caller, session_key, id))
    co_return std::move(*facts);
  const auto deadline = search.clock.monotonic() + calls::LogEdit::kTimeLimit;
  CO_ASSIGN_OR_RETURN(auto known, co_await find_to_change(search, streams, caller, id, deadline));
  mcp::TaskFacts facts(std::move(known.call));
  facts.last = co_await bring_up_to_date(search.bus, facts.call);
  co_return std::move(facts);
}

loop::Task<wire::HttpResult<mcp::TaskPage>> list_tasks(const CallSearch& search,
                                                       const answers::PageSources& pages,
                                                       SessionKey session,
                                                       std::optional<CallId> before) {
  const auto due = search.clock.monotonic();
  const auto recorded =
      co_await mailbox::await_session_recorded(search.recorded, session, kRecordWait);
  std::vector<RecordedCall> calls;
  if (recorded != mailbox::Recorded::kAll) calls = co_await unrecorded(search, session, before);
  auto read = [session, before](persistence::store::StoreReader& store) {
    return store.calls_of_session(session, persistence::store::CallState::kAny, before, kPageTasks);
  };
  CO_ASSIGN_OR_RETURN(auto rows,
                      co_await answers::read_held_page<RecordedCall>(pages, due, std::move(read)));
  // Older ones are on the next page, among the recorded ones that are as old.
  if (rows.rows.more && !rows.rows.empty())
    std::erase_if(calls, [&](const auto& call) { return call.call_id < rows.rows.back().call_id; });
  // What is recorded says more: of two, the first one stays.
  std::vector<RecordedCall> shown(std::move_iterator(rows.rows.begin()),
                                  std::move_iterator(rows.rows.end()));
  std::ranges::move(calls, std::back_inserter(shown));
  mcp::TaskPage page;
  page.more = make_page(shown) || rows.rows.more;
  for (auto& call : shown) {
    mcp::TaskFacts facts(std::move(call));
    facts.last = co_await bring_up_to_date(search.bus, facts.call);
    page.tasks.push_back(std::move(facts));
  }
  page.memory = std::move(rows.memory);
  co_return std::move(page);
}

}  // namespace toolway::gateway::endpoints
