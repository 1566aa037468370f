#include <fmt/format.h>

#include "gateway/call_json.h"
#include "gateway/handlers.h"
#include "gateway/json_text.h"
#include "gateway/prefer.h"
#include "gateway/submit.h"

namespace toolway::gateway {
namespace {

/// One call of a request, from its body to its end.
struct Entry {
  Answer<PlannedCall> plan = refuse(ErrorCode::kInternal, "not planned");
  std::optional<Problem> refused;
  std::unique_ptr<CallWait> wait;
};

Answer<PlannedCall> plan(Services& services, const Asked& asked, const Session& session,
                         CallBody body) {
  const auto registry = services.registry.now();
  const CallContext context{.registry = *registry,
                            .session = session.record,
                            .namespaces = session.namespaces,
                            .caller = asked.caller,
                            .traceparent = asked.request.traceparent,
                            .tracestate = asked.request.tracestate};
  const WallTime now = services.clock.wall();
  return plan_call(context, std::move(body), CallId::make(now), now);
}

/// Follows when the request waits, then publishes.
Task<void> run(Services& services, Entry& entry, Timer& wake, bool waits) {
  if (waits) {
    entry.wait = std::make_unique<CallWait>();
    auto followed = co_await entry.wait->follow(services, entry.plan->request, wake);
    if (!followed) {
      entry.refused = bus_problem(std::move(followed.error()));
      co_return;
    }
  }
  auto accepted = co_await submit(services, *entry.plan);
  if (!accepted) entry.refused = std::move(accepted.error());
}

std::string entry_json(const Entry& entry) {
  const v1::CallRequest& request = entry.plan->request;
  if (!entry.wait || !entry.wait->completion()) return accepted_json(request);
  auto call = call_of(request);
  apply_event(call, *entry.wait->completion());
  return call_json(call, CallForm::kWaited);
}

std::string applied(std::chrono::seconds wait) {
  return fmt::format("preference-applied: wait={}\r\n", wait.count());
}

Task<void> run_all(Services& services, std::vector<Entry>& entries, Timer& wake, bool waits) {
  std::size_t under_way = 0;
  Timer done(services.executor, Timer::time_point::max());
  for (Entry& entry : entries) {
    if (!entry.plan) continue;
    ++under_way;
    auto ended = [&under_way, &done](std::exception_ptr) {
      if (--under_way == 0) done.cancel();
    };
    asio::co_spawn(services.executor, run(services, entry, wake, waits), std::move(ended));
  }
  while (under_way > 0) co_await wait_on(done);
}

}  // namespace

Task<Answer<Response>> post_call(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({}); !known) co_return refuse(std::move(known.error()));
  auto session = co_await services.sessions.find(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  auto body = parse_call(asked.request.body, services.options.max_arguments_bytes);
  if (!body) co_return refuse(std::move(body.error()));
  Entry entry;
  entry.plan = plan(services, asked, **session, std::move(*body));
  if (!entry.plan) co_return refuse(std::move(entry.plan.error()));
  const auto wait = preferred_wait(asked.request.prefer);
  const auto begun = std::chrono::steady_clock::now();
  Timer wake(services.executor);
  co_await run(services, entry, wake, wait.has_value());
  if (entry.refused) co_return refuse(std::move(*entry.refused));
  Response response{.status = 202};
  if (wait) {
    response.headers = applied(*wait);
    std::vector<CallWait*> waits{entry.wait.get()};
    co_await wait_for(services, waits, wake, begun + *wait, *asked.request.watch);
    if (entry.wait->completion()) response.status = 200;
  }
  response.body = entry_json(entry);
  co_return response;
}

Task<Answer<Response>> post_batch(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({}); !known) co_return refuse(std::move(known.error()));
  auto session = co_await services.sessions.find(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  auto bodies = parse_batch(asked.request.body, services.options.max_arguments_bytes);
  if (!bodies) co_return refuse(std::move(bodies.error()));
  std::vector<Entry> entries(bodies->size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto& body = (*bodies)[i];
    entries[i].plan = body ? plan(services, asked, **session, std::move(*body))
                           : Answer<PlannedCall>(refuse(std::move(body.error())));
    if (!entries[i].plan) entries[i].refused = entries[i].plan.error();
  }
  const auto wait = preferred_wait(asked.request.prefer);
  const auto begun = std::chrono::steady_clock::now();
  Timer wake(services.executor);
  co_await run_all(services, entries, wake, wait.has_value());
  Response response{.status = 202};
  if (wait) {
    response.headers = applied(*wait);
    std::vector<CallWait*> waits;
    for (const Entry& entry : entries) {
      if (!entry.refused) waits.push_back(entry.wait.get());
    }
    co_await wait_for(services, waits, wake, begun + *wait, *asked.request.watch);
    bool all = !waits.empty();
    for (const CallWait* call : waits) all = all && call->completion().has_value();
    if (all) response.status = 200;
  }
  std::size_t refused = 0;
  std::string& out = response.body;
  out = R"({"calls":)";
  char separator = '[';
  for (const Entry& entry : entries) {
    out.push_back(separator);
    separator = ',';
    if (!entry.refused) {
      out += entry_json(entry);
      continue;
    }
    ++refused;
    services.count_refused(entry.refused->error.code);
    out += R"({"status":"refused","error":)";
    out += problem_json(*entry.refused, asked.request.request_id);
    out.push_back('}');
  }
  out += "]}";
  if (refused == entries.size()) response.status = 422;
  co_return response;
}

}  // namespace toolway::gateway
