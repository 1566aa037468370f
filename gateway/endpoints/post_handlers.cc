#include "gateway/endpoints/post_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "gateway/answers/held_answer.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/read_calls.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/prefer.h"

namespace toolway::gateway::endpoints {
namespace {

std::string entry_json(const calls::CallEntry& entry) {
  const v1::CallRequest& request = entry.plan->request;
  if (!entry.wait || !entry.wait->completion()) return calls::accepted_json(request);
  auto call = calls::call_of(request);
  calls::apply_event(call, *entry.wait->completion());
  return calls::call_json(call, calls::CallForm::kWaited);
}

loop::Task<std::string> entries_json(const std::vector<calls::CallEntry>& entries,
                                     std::string_view request_id) {
  std::string out;
  wire::ListText list(out);
  loop::TextTurn turn(out);
  for (const calls::CallEntry& entry : entries) {
    if (turn.is_full()) co_await loop::give_way();
    list.next();
    if (!entry.refused) {
      out += entry_json(entry);
      continue;
    }
    out += R"({"status":"refused","error":)";
    out += wire::problem_json(*entry.refused, request_id);
    out.push_back('}');
  }
  list.end();
  co_return out;
}

/// Room for the refusals of a batch, before any of its calls is published; what else its answer
/// shows is short, or was counted when it came. Errors: overloaded.
wire::HttpResult<wire::MemoryBudget::Share> room_for_refusals(
    wire::MemoryBudget& memory, const std::vector<calls::CallEntry>& entries) {
  std::size_t bytes = 0;
  for (const calls::CallEntry& entry : entries) {
    if (entry.refused) bytes += wire::problem_json(*entry.refused, "").size();
  }
  return answers::room_for(memory, bytes);
}

/// Counts the answer as long as its completions are still counted: no one else gets their room.
void count(wire::MemoryBudget& memory, wire::Response& response) {
  if (response.body.size() <= answers::kNotCounted) return;
  response.memory = {memory, wire::MemoryUse::kAnswer};
  response.memory.resize(response.body.capacity());
}

std::string applied(std::chrono::seconds wait) {
  return fmt::format("preference-applied: wait={}\r\n", wait.count());
}

/// `response` with what became of each call; or a problem, where a client must repeat the whole
/// batch.
loop::Task<wire::Response> batch_response(const PostContext& context,
                                          const wire::RoutedRequest& routed,
                                          const std::vector<calls::CallEntry>& entries,
                                          wire::Response response) {
  for (const calls::CallEntry& entry : entries) {
    if (entry.refused) count_refusal(context, routed.caller, *entry.refused);
  }
  const std::string calls = co_await entries_json(entries, routed.request.request_id);
  const wire::Problem* problem = calls::batch_problem(entries);
  if (problem == nullptr) {
    response.body = "{\"calls\":" + calls + "}";
    const auto refused = [](const calls::CallEntry& entry) { return entry.refused.has_value(); };
    if (std::all_of(entries.begin(), entries.end(), refused)) response.status = 422;
    co_return response;
  }
  // As a problem, so that clients' retry logic handles it; the entries come along as a member.
  wire::Response failed = wire::problem_response(*problem, routed.request.request_id);
  failed.body.pop_back();
  failed.body += ",\"calls\":" + calls + "}";
  failed.headers += response.headers;
  co_return failed;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_call(const PostContext& context,
                                                       const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  const auto parse = [most = context.max_arguments_bytes](wire::ParsedBody body) {
    return calls::parse_call(std::move(body), most);
  };
  CO_ASSIGN_OR_RETURN(
      auto read, co_await calls::read_calls<calls::CallBody>(context.plan.threads, routed, parse));
  std::vector<calls::CallEntry> entries(1);
  calls::CallEntry& entry = entries.front();
  CO_RETURN_IF_ERROR(co_await calls::look_up_keys(context.run.keys, routed, session->key,
                                                  std::move(read.payload_sha256), entries));
  if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
  if (entry.settled()) {
    read.calls = {};  // what its key noted is run
  } else {
    auto plan = co_await calls::plan_request(context.plan, routed, *session, std::move(read.calls));
    entry.plan = std::move(plan);
  }
  if (!entry.plan) co_return wire::refuse(std::move(entry.plan.error()));
  const auto wait = wire::preferred_wait(routed.request.prefer);
  const auto begun = context.run.waits.clock.monotonic();
  loop::Timer wake(co_await asio::this_coro::executor);
  calls::WaitRoom room;
  entry.waits = wait.has_value();
  co_await calls::run_call(context.run, entry, wake, room);
  if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
  wire::Response response{.status = 202, .headers = calls::replay_header(entries)};
  if (entry.wait) {
    response.headers += applied(*wait);
    std::vector<calls::CallWait*> waits{entry.wait.get()};
    co_await calls::wait_for(context.run.waits, waits, wake, begun + *wait, *routed.request.watch);
    if (entry.wait->completion()) response.status = 200;
  }
  response.body = entry_json(entry);
  count(context.run.waits.memory, response);
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> post_batch(const PostContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  const auto parse = [most = context.max_arguments_bytes](wire::ParsedBody body) {
    return calls::parse_batch(std::move(body), most);
  };
  CO_ASSIGN_OR_RETURN(auto read,
                      co_await calls::read_calls<std::vector<wire::HttpResult<calls::CallBody>>>(
                          context.plan.threads, routed, parse));
  auto& bodies = read.calls;
  std::vector<calls::CallEntry> entries(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i]) entries[i].refused = std::move(bodies[i].error());
  }
  CO_RETURN_IF_ERROR(co_await calls::look_up_keys(context.run.keys, routed, session->key,
                                                  std::move(read.payload_sha256), entries));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].settled()) continue;
    auto plan = co_await calls::plan_request(context.plan, routed, *session, std::move(*bodies[i]));
    entries[i].plan = std::move(plan);
    co_await loop::give_way();
    if (!entries[i].plan) entries[i].refused = entries[i].plan.error();
  }
  bodies.clear();
  CO_ASSIGN_OR_RETURN(const auto refusals, room_for_refusals(context.run.waits.memory, entries));
  const auto wait = wire::preferred_wait(routed.request.prefer);
  for (calls::CallEntry& entry : entries) entry.waits = wait.has_value();
  const auto begun = context.run.waits.clock.monotonic();
  loop::Timer wake(co_await asio::this_coro::executor);
  calls::WaitRoom room;
  co_await calls::run_calls(context.run, entries, wake, room);
  wire::Response response{.status = 202, .headers = calls::replay_header(entries)};
  std::vector<calls::CallWait*> waits;
  bool all = true;
  for (const calls::CallEntry& entry : entries) {
    if (!entry.refused && entry.wait) waits.push_back(entry.wait.get());
    all = all && (entry.refused || entry.wait);
  }
  if (!waits.empty()) {
    response.headers += applied(*wait);
    co_await calls::wait_for(context.run.waits, waits, wake, begun + *wait, *routed.request.watch);
    for (const calls::CallWait* call : waits) all = all && call->completion().has_value();
    if (all) response.status = 200;
  }
  response = co_await batch_response(context, routed, entries, std::move(response));
  count(context.run.waits.memory, response);
  co_return response;
}

}  // namespace toolway::gateway::endpoints
