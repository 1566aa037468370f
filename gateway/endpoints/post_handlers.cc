#include "gateway/endpoints/post_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "gateway/answers/give_way.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/check_arguments.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/prefer.h"

namespace toolway::gateway {
namespace {

std::string entry_json(const CallEntry& entry) {
  const v1::CallRequest& request = entry.plan->request;
  if (!entry.wait || !entry.wait->completion()) return accepted_json(request);
  auto call = call_of(request);
  apply_event(call, *entry.wait->completion());
  return call_json(call, CallForm::kWaited);
}

Task<std::string> entries_json(const std::vector<CallEntry>& entries, std::string_view request_id) {
  std::string out;
  char separator = '[';
  std::size_t turn = 0;
  for (const CallEntry& entry : entries) {
    if (out.size() - turn > kTurnBytes) {
      turn = out.size();
      co_await give_way();
    }
    out.push_back(separator);
    separator = ',';
    if (!entry.refused) {
      out += entry_json(entry);
      continue;
    }
    out += R"({"status":"refused","error":)";
    out += problem_json(*entry.refused, request_id);
    out.push_back('}');
  }
  co_return out + "]";
}

std::string applied(std::chrono::seconds wait) {
  return fmt::format("preference-applied: wait={}\r\n", wait.count());
}

/// `response` with what became of each call; or a problem, where a client must repeat the whole
/// batch.
Task<Response> batch_response(CallCounters& counters, const Asked& asked,
                              const std::vector<CallEntry>& entries, Response response) {
  for (const CallEntry& entry : entries) {
    if (entry.refused) counters.refused(entry.refused->error.code);
  }
  const std::string calls = co_await entries_json(entries, asked.request.request_id);
  const Problem* problem = batch_problem(entries);
  if (problem == nullptr) {
    response.body = "{\"calls\":" + calls + "}";
    const auto refused = [](const CallEntry& entry) { return entry.refused.has_value(); };
    if (std::all_of(entries.begin(), entries.end(), refused)) response.status = 422;
    co_return response;
  }
  // As a problem, so that clients' retry logic handles it; the entries come along as a member.
  Response failed = problem_response(*problem, asked.request.request_id);
  failed.body.pop_back();
  failed.body += ",\"calls\":" + calls + "}";
  failed.headers += response.headers;
  co_return failed;
}

}  // namespace

Task<Answer<Response>> post_call(const PostContext& context, const Asked& asked) {
  CO_RETURN_IF_ERROR(asked.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(asked.caller, asked.id));
  const auto parse = [most = context.max_arguments_bytes](std::string_view text) {
    return parse_call(text, most);
  };
  CO_ASSIGN_OR_RETURN(
      auto body, co_await read_calls<CallBody>(context.plan.threads, asked.request.body, parse));
  std::vector<CallEntry> entries(1);
  CallEntry& entry = entries.front();
  CO_RETURN_IF_ERROR(co_await look_up_keys(context.run.keys, asked, entries));
  if (entry.refused) co_return refuse(std::move(*entry.refused));
  if (!entry.settled()) {
    auto plan = co_await plan_asked(context.plan, asked, *session, std::move(body));
    entry.plan = std::move(plan);
  }
  if (!entry.plan) co_return refuse(std::move(entry.plan.error()));
  const auto wait = preferred_wait(asked.request.prefer);
  const auto begun = std::chrono::steady_clock::now();
  Timer wake(co_await asio::this_coro::executor);
  WaitRoom room;
  entry.waits = wait.has_value();
  co_await run_call(context.run, entry, wake, room);
  if (entry.refused) co_return refuse(std::move(*entry.refused));
  Response response{.status = 202, .headers = replay_header(entries)};
  if (wait) {
    response.headers += applied(*wait);
    std::vector<CallWait*> waits{entry.wait.get()};
    co_await wait_for(context.run.waits, waits, wake, begun + *wait, *asked.request.watch);
    if (entry.wait->completion()) response.status = 200;
  }
  response.body = entry_json(entry);
  co_return response;
}

Task<Answer<Response>> post_batch(const PostContext& context, const Asked& asked) {
  CO_RETURN_IF_ERROR(asked.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(asked.caller, asked.id));
  const auto parse = [most = context.max_arguments_bytes](std::string_view text) {
    return parse_batch(text, most);
  };
  CO_ASSIGN_OR_RETURN(auto bodies, co_await read_calls<std::vector<Answer<CallBody>>>(
                                       context.plan.threads, asked.request.body, parse));
  std::vector<CallEntry> entries(bodies.size());
  CO_RETURN_IF_ERROR(co_await look_up_keys(context.run.keys, asked, entries));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].settled()) continue;
    auto& body = bodies[i];
    if (body) {
      auto plan = co_await plan_asked(context.plan, asked, *session, std::move(*body));
      entries[i].plan = std::move(plan);
      co_await give_way();
    } else {
      entries[i].plan = refuse(std::move(body.error()));
    }
    if (!entries[i].plan) entries[i].refused = entries[i].plan.error();
  }
  const auto wait = preferred_wait(asked.request.prefer);
  for (CallEntry& entry : entries) entry.waits = wait.has_value();
  const auto begun = std::chrono::steady_clock::now();
  Timer wake(co_await asio::this_coro::executor);
  WaitRoom room;
  co_await run_calls(context.run, entries, wake, room);
  Response response{.status = 202, .headers = replay_header(entries)};
  if (wait) {
    response.headers += applied(*wait);
    std::vector<CallWait*> waits;
    for (const CallEntry& entry : entries) {
      if (!entry.refused) waits.push_back(entry.wait.get());
    }
    co_await wait_for(context.run.waits, waits, wake, begun + *wait, *asked.request.watch);
    bool all = !waits.empty();
    for (const CallWait* call : waits) all = all && call->completion().has_value();
    if (all) response.status = 200;
  }
  co_return co_await batch_response(context.counters, asked, entries, std::move(response));
}

}  // namespace toolway::gateway
