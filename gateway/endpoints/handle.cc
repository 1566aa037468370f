#include "gateway/endpoints/handle.h"

#include <fmt/format.h>

#include "base/try.h"
#include "gateway/wire/documents.h"
#include "gateway/wire/text.h"
#include "monitoring/exposition.h"

namespace toolway::gateway {
namespace {

bool is_call(Route route) {
  return route == Route::kPostCall || route == Route::kPostBatch || route == Route::kPostToolCalls;
}

/// Whether its answer or its effect depends on what is switched off.
bool needs_switches(Route route) {
  return is_call(route) || route == Route::kOpenSession || route == Route::kCloseSession ||
         route == Route::kRestoreSession || route == Route::kSessionTools || route == Route::kTools;
}

/// A gateway that has just started reads it within milliseconds, if NATS answers.
Task<bool> await_switches(const Endpoints& on) {
  constexpr std::chrono::milliseconds kBetween{20};
  const auto deadline = on.clock.monotonic() + on.accept_deadline;
  while (!on.switches.known() && !on.drain.begun() && on.clock.monotonic() < deadline) {
    co_await pause(kBetween);
  }
  co_return on.switches.known();
}

/// Asks no server: everything was learnt within the last second, so the answer comes at once.
Health health_of(const Endpoints& on) {
  return {.nats = on.queues.health(),
          .switches = on.switches.known(),
          .clock = on.clock_in_words(),
          .postgres = on.store.ready(),
          .draining = on.drain.begun()};
}

/// Where the `type` of a problem leads.
Answer<Response> show_error_page(std::string_view code) {
  auto page = error_page(errors_document(), code);
  if (!page)
    return refuse(ErrorCode::kNotFound,
                  "no error code has this name; docs/errors.md lists them all");
  return Response{.content_type = "text/markdown; charset=utf-8", .body = std::move(*page)};
}

Task<Answer<Response>> metrics_page(Scraper& scraper, std::string_view accept) {
  const auto format = monitoring::choose_exposition(accept);
  CO_ASSIGN_OR_RETURN(auto text, co_await scraper.scrape(format));
  co_return Response{.content_type = monitoring::content_type(format),
                     .body = std::move(text),
                     .headers = "vary: accept\r\n"};
}

Task<Answer<Response>> dispatch(const Endpoints& on, Route route, const Asked& asked) {
  switch (route) {
    case Route::kOpenSession: co_return co_await open_session(on.sessions, on.restore, asked);
    case Route::kCloseSession: co_return co_await close_session(on.close, asked);
    case Route::kRestoreSession: co_return co_await restore_session(on.restore, asked);
    case Route::kCompletions: co_return co_await list_completions(on.completions, asked);
    case Route::kAckCompletions: co_return co_await ack_completions(on.completions, asked);
    case Route::kListSessions: co_return co_await list_sessions(on.sessions, asked);
    case Route::kShowSession: co_return co_await show_session(on.sessions, asked);
    case Route::kSessionTools: co_return co_await session_tools(on.tools, asked);
    case Route::kPostCall: co_return co_await post_call(on.posts, asked);
    case Route::kPostBatch: co_return co_await post_batch(on.posts, asked);
    case Route::kPostToolCalls:
      co_return co_await post_tool_calls(on.posts, on.tools_view, on.answers, asked);
    case Route::kListCalls: co_return co_await list_calls(on.calls, asked);
    case Route::kSessionEvents: co_return co_await session_events(on.events, asked);
    case Route::kShowCall: co_return co_await show_call(on.calls, asked);
    case Route::kCallEvents: co_return co_await call_events(on.events, asked);
    case Route::kCallResult: co_return co_await show_result(on.search, on.drain, asked);
    case Route::kCancelCall:
      co_return co_await post_cancel(on.search, on.streams, on.cancel, asked);
    case Route::kExplainCall: co_return co_await explain_call(on.explain, asked);
    case Route::kWorkers: co_return co_await list_workers(on.workers, on.answers, asked);
    case Route::kTools: co_return co_await list_tools(on.tools, asked);
    case Route::kReadyz: co_return readyz(health_of(on));
    case Route::kLivez:
      co_return Response{.body = R"({"status":"alive","version":")" TOOLWAY_VERSION "\"}"};
    case Route::kMetrics: co_return co_await metrics_page(on.scraper, asked.request.accept);
    case Route::kOpenApi:
      co_return Response{.content_type = "application/yaml",
                         .body = std::string(openapi_document())};
    case Route::kErrorPage: co_return show_error_page(asked.id);
    case Route::kNone: break;
  }
  co_return refuse(ErrorCode::kInternal, "a route without a handler");
}

/// A request that needs or has a body must be application/json, which no page sends to another
/// origin without asking.
bool has_right_type(const Request& request) {
  if (request.method != "POST" && !request.has_body) return true;
  return request.content_type && is_json_type(*request.content_type);
}

/// `page` becomes the origin of the web page that may read the answer.
Task<Answer<Response>> answer(const Endpoints& on, const Request& request, Route& route,
                              std::string& page) {
  CO_ASSIGN_OR_RETURN(auto target, Target::parse(request.target));
  auto matched = match_route(request.method, target.path());
  CO_ASSIGN_OR_RETURN(const auto admitted,
                      on.edge.web.admit({.method = request.method,
                                         .host = request.host,
                                         .origin = request.origin,
                                         .fetch_site = request.fetch_site,
                                         .fetch_mode = request.fetch_mode,
                                         .about_us = matched && is_about_us(matched->route)}));
  page = std::string(admitted);
  if (request.preflight && !page.empty() && !matched && !matched.error().allow.empty()) {
    auto headers =
        preflight_headers(std::exchange(page, {}), matched.error().allow, request.private_network);
    co_return Response{.status = 204, .headers = std::move(headers)};
  }
  CO_RETURN_IF_ERROR(matched);
  route = matched->route;
  if (on.drain.begun() && !is_about_us(route)) {
    co_return refuse(ErrorCode::kShuttingDown,
                     "this gateway is shutting down: ask again on a new connection");
  }
  auto caller = resolve_caller(request.user, request.user_header);
  CO_RETURN_IF_ERROR(caller);
  if (!has_right_type(request)) {
    co_return refuse(ErrorCode::kUnsupportedMediaType,
                     "send Content-Type: application/json, in UTF-8");
  }
  UserRequests::Place place;
  if (!is_about_us(route)) {
    place = on.edge.users.enter(caller->user_id);
    if (!place) {
      co_return refuse(
          ErrorCode::kOverloaded,
          fmt::format(
              "you already have {} requests in progress, the limit per user: wait for some to finish",
              on.edge.users.most()));
    }
  }
  if (needs_switches(route) && !on.switches.known()) {
    const bool known = co_await await_switches(on);
    if (!known) {
      co_return refuse(ErrorCode::kBusUnavailable,
                       "this gateway could not read yet which tools are switched off: ask again");
    }
  }
  const Asked asked{request, target, *caller, std::move(matched->id)};
  co_return co_await dispatch(on, route, asked);
}

}  // namespace

Task<Response> handle(const Endpoints& endpoints, const Request& request, Route& route) {
  std::string page;
  auto answered = co_await answer(endpoints, request, route, page);
  if (!answered && is_call(route)) endpoints.counters.refused(answered.error().error.code);
  Response response =
      answered ? std::move(*answered) : problem_response(answered.error(), request.request_id);
  if (!page.empty()) response.headers += cors_headers(page);
  co_return response;
}

}  // namespace toolway::gateway
