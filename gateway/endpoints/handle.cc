#include "gateway/endpoints/handle.h"

#include <fmt/format.h>

#include <span>

#include "base/reserved_names.h"
#include "base/try.h"
#include "gateway/api_docs/api_page.h"
#include "gateway/auth/authorize.h"
#include "gateway/auth/on_behalf.h"
#include "gateway/auth/resource_metadata.h"
#include "gateway/edge/public_url.h"
#include "gateway/endpoints/face_error.h"
#include "gateway/endpoints/mcp_handler.h"
#include "gateway/endpoints/models_handler.h"
#include "gateway/wire/documents.h"
#include "gateway/wire/media_type.h"
#include "monitoring/exposition.h"

namespace toolway::gateway::endpoints {
namespace {

/// A gateway that has just started reads both within milliseconds, if NATS answers.
bool knows_what_may_run(const Endpoints& on) { return on.switches.known() && on.policies.known(); }

loop::Task<bool> await_knowledge(const Endpoints& on) {
  constexpr std::chrono::milliseconds kPollInterval{20};
  const auto deadline = on.clock.monotonic() + on.accept_deadline;
  while (!knows_what_may_run(on) && !on.drain.begun() && on.clock.monotonic() < deadline) {
    co_await loop::pause(kPollInterval);
  }
  co_return knows_what_may_run(on);
}

/// Asks no server: everything was learnt within the last second, so the answer comes at once.
Health health_of(const Endpoints& on) {
  return {.nats = on.queues.health(),
          .switches = on.switches.known(),
          .policies = on.policies.known() && on.policies.trouble().empty() ? "ok"
                      : on.policies.trouble().empty()                      ? "not read yet"
                                                                           : "cannot be read",
          .policies_known = on.policies.known(),
          .auth = on.gate.in_words(),
          .auth_known = on.gate.known(),
          .clock = on.clock_in_words(),
          .postgres = on.store.ready(),
          .draining = on.drain.begun(),
          .durability = on.durability};
}

/// Where the `type` of a problem leads.
wire::HttpResult<wire::Response> show_error_page(std::string_view code) {
  auto page = wire::error_page(wire::errors_document(), code);
  if (!page)
    return wire::refuse(ErrorCode::kNotFound,
                        "no error code has this name; docs/errors.md lists them all");
  return wire::Response{.content_type = "text/markdown; charset=utf-8", .body = std::move(*page)};
}

wire::Response html_response(api_docs::ApiPage page) {
  return {
      .content_type = "text/html; charset=utf-8",
      .body = std::move(page.html),
      .headers = fmt::format("content-security-policy: {}\r\nx-content-type-options: nosniff\r\n"
                             "referrer-policy: no-referrer\r\n",
                             page.policy)};
}

/// Made once in a process: it never changes.
const Result<api_docs::ApiPage>& api_page() {
  static const auto page = api_docs::make_api_page(wire::openapi_document(), wire::page_style());
  return page;
}

/// The first one takes longer than the loop may wait.
loop::Task<wire::HttpResult<wire::Response>> show_api_page(const answers::AnswerRoom& room) {
  auto make = []() -> Result<api_docs::ApiPage> { return api_page(); };
  CO_ASSIGN_OR_RETURN(auto page, co_await room.work.run<api_docs::ApiPage>(
                                     std::move(make), loop::WorkPool::WhenFull::kRefused));
  auto response = html_response(std::move(page));
  response.memory = {room.memory, wire::MemoryUse::kAnswer};
  response.memory.resize(response.body.size());
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> metrics_page(loop::Scraper& scraper,
                                                          std::string_view accept) {
  const auto format = monitoring::choose_exposition(accept);
  auto place = scraper.place();
  CO_ASSIGN_OR_RETURN(auto text, co_await scraper.scrape(format));
  co_return wire::Response{.content_type = monitoring::content_type(format),
                           .body = std::move(text),
                           .headers = "vary: accept\r\n",
                           .place = std::move(place)};
}

/// RFC 9728. Where callers are not asked who they are there is nothing to say of their credentials.
wire::HttpResult<wire::Response> show_metadata(const Endpoints& on,
                                               const wire::RoutedRequest& routed) {
  if (!on.gate.asks())
    return wire::refuse(ErrorCode::kNotFound, "this gateway asks for no credential (--auth none)");
  const auto origin = edge::origin_of(on.edge.public_url, routed.request.host);
  if (!origin)
    return wire::refuse(ErrorCode::kInvalidRequest, "the header Host is not NAME or NAME:PORT");
  const auto issuers = on.gate.issuers();
  using Issuers = std::span<const extensions::auth::Issuer>;
  const auto resource = routed.target.path().substr(auth::kMetadataPath.size());
  return wire::Response{
      .body = to_text(auth::resource_metadata(fmt::format("{}{}", *origin, resource),
                                              issuers ? Issuers(*issuers) : Issuers())),
      .headers = "cache-control: no-store\r\n"};
}

loop::Task<wire::HttpResult<wire::Response>> converse(const Endpoints& on, wire::Route route,
                                                      const wire::RoutedRequest& routed) {
  switch (route) {
    case wire::Route::kPostMessage: co_return co_await post_message(on.messages, routed);
    case wire::Route::kListMessages: co_return co_await list_messages(on.messages, routed);
    case wire::Route::kNewConversation: co_return co_await new_conversation(on.messages, routed);
    case wire::Route::kStopTurn:
      co_return co_await stop_turn(on.messages, on.search, on.streams, on.cancel, on.policies,
                                   routed);
    case wire::Route::kExportConversation: co_return co_await export_messages(on.messages, routed);
    case wire::Route::kImportConversation:
      co_return co_await import_conversation(on.messages, routed);
    default: break;
  }
  const auto api = face_of(routed.request);
  if (!api) co_return wire::refuse(ErrorCode::kInternal, "a route of no model's API");
  const auto cancel = cancel_port(on);
  co_return co_await answer_as_model(on.messages, on.sessions, cancel, routed, *api);
}

loop::Task<wire::HttpResult<wire::Response>> dispatch(const Endpoints& on, wire::Route route,
                                                      const wire::RoutedRequest& routed) {
  switch (route) {
    case wire::Route::kOpenSession:
      co_return co_await open_session(on.sessions, on.restore, routed);
    case wire::Route::kCloseSession: co_return co_await close_session(on.close, routed);
    case wire::Route::kDeleteSession: co_return co_await delete_session(on.close, routed);
    case wire::Route::kRestoreSession: co_return co_await restore_session(on.restore, routed);
    case wire::Route::kAddNamespaces: co_return co_await add_namespaces(on.sessions, routed);
    case wire::Route::kCompletions: co_return co_await list_completions(on.completions, routed);
    case wire::Route::kAckCompletions: co_return co_await ack_completions(on.completions, routed);
    case wire::Route::kListSessions: co_return co_await list_sessions(on.sessions, routed);
    case wire::Route::kShowSession: co_return co_await show_session(on.sessions, routed);
    case wire::Route::kSessionTools: co_return co_await session_tools(on.tools, routed);
    case wire::Route::kPostCall: co_return co_await post_call(on.posts, routed);
    case wire::Route::kPostBatch: co_return co_await post_batch(on.posts, routed);
    case wire::Route::kPostToolCalls:
      co_return co_await post_tool_calls(on.posts, on.tools_view, on.answers, on.tasks, routed);
    case wire::Route::kListCalls: co_return co_await list_calls(on.calls, routed);
    case wire::Route::kListUserCalls: co_return co_await list_user_calls(on.calls, routed);
    case wire::Route::kSessionEvents: co_return co_await session_events(on.events, routed);
    case wire::Route::kShowCall: co_return co_await show_call(on.calls, routed);
    case wire::Route::kCallEvents: co_return co_await call_events(on.events, routed);
    case wire::Route::kCallResult: co_return co_await show_result(on.search, on.drain, routed);
    case wire::Route::kCancelCall:
      co_return co_await post_cancel(on.search, on.streams, on.cancel, on.policies, routed);
    case wire::Route::kPostInput: co_return co_await post_input(on.input, routed);
    case wire::Route::kApproveCall: co_return co_await approve_call(on.approvals, routed);
    case wire::Route::kDenyCall: co_return co_await deny_call(on.approvals, routed);
    case wire::Route::kListApprovals: co_return co_await list_approvals(on.approvals, routed);
    case wire::Route::kListAudit: co_return co_await list_audit(on.audit, routed);
    case wire::Route::kPostMessage:
    case wire::Route::kListMessages:
    case wire::Route::kNewConversation:
    case wire::Route::kStopTurn:
    case wire::Route::kExportConversation:
    case wire::Route::kImportConversation:
    case wire::Route::kChatCompletions:
    case wire::Route::kResponses:
    case wire::Route::kAnthropicMessages: co_return co_await converse(on, route, routed);
    case wire::Route::kListModels: co_return list_models(on.workers.list(kChatPool), routed);
    case wire::Route::kShowModel: co_return show_model(on.workers.list(kChatPool), routed);
    case wire::Route::kMcp:
    case wire::Route::kMcpSession:
    case wire::Route::kMcpStream:
    case wire::Route::kMcpSessionStream:
    case wire::Route::kEndMcp:
    case wire::Route::kEndMcpSession: co_return co_await answer_mcp(on, route, routed);
    case wire::Route::kMetadata:
    case wire::Route::kMcpMetadata:
    case wire::Route::kMcpSessionMetadata: co_return show_metadata(on, routed);
    case wire::Route::kExplainCall: co_return co_await explain_call(on.explain, routed);
    case wire::Route::kWorkers: co_return co_await list_workers(on.workers, on.answers, routed);
    case wire::Route::kTools: co_return co_await list_tools(on.tools, routed);
    case wire::Route::kReadyz: co_return readyz(health_of(on));
    case wire::Route::kLivez:
      co_return wire::Response{.body = R"({"status":"alive","version":")" TOOLWAY_VERSION "\"}"};
    case wire::Route::kMetrics: co_return co_await metrics_page(on.scraper, routed.request.accept);
    case wire::Route::kOpenApi:
      co_return wire::Response{.content_type = "application/yaml",
                               .body = std::string(wire::openapi_document())};
    case wire::Route::kApiPage: co_return co_await show_api_page(on.answers);
    case wire::Route::kFrontPage:
      co_return html_response(api_docs::make_front_page(TOOLWAY_VERSION, wire::page_style()));
    case wire::Route::kErrorPage: co_return show_error_page(routed.id);
    case wire::Route::kListSpecs: co_return co_await list_specs(on.specs, routed);
    case wire::Route::kPutSpecs: co_return co_await put_specs(on.specs, routed);
    case wire::Route::kRemoveSpecs: co_return co_await remove_specs(on.specs, routed);
    case wire::Route::kSpecHistory: co_return co_await spec_history(on.specs, routed);
    case wire::Route::kSpecDiff: co_return co_await spec_diff(on.specs, routed);
    case wire::Route::kRollBackSpec: co_return co_await roll_spec_back(on.specs, routed);
    case wire::Route::kPromoteSpec: co_return co_await promote_spec(on.specs, routed);
    case wire::Route::kListSwitches: co_return co_await list_switches(on.switched, routed);
    case wire::Route::kSwitchOff: co_return co_await switch_off(on.switched, routed);
    case wire::Route::kSwitchOn: co_return co_await switch_on(on.switched, routed);
    case wire::Route::kNone: break;
  }
  co_return wire::refuse(ErrorCode::kInternal, "a route without a handler");
}

/// A request that needs or has a body must be application/json, which no page sends to another
/// origin without asking. One that has neither body nor type comes from no form, and that of a
/// page's script names its origin.
bool has_right_type(const wire::Request& request, wire::Route route) {
  const bool may_lack =
      request.method != "POST" || (!request.content_type && wire::body_is_optional(route));
  if (may_lack && !request.has_body) return true;
  return request.content_type && wire::is_json_type(*request.content_type);
}

/// The answer of a browser's preflight, or that of a request for what there is.
struct PreflightOrRoute {
  std::optional<wire::Response> preflight{};
  wire::Matched matched{};
};

/// `page` becomes the origin of the web page that may read the answer.
wire::HttpResult<PreflightOrRoute> ask_for(const Endpoints& on, const wire::Request& request,
                                           const wire::Target& target, std::string& page) {
  auto matched = wire::match_route(request.method, target.path());
  ASSIGN_OR_RETURN(const auto admitted,
                   on.edge.web.admit({.method = request.method,
                                      .host = request.host,
                                      .origin = request.origin,
                                      .fetch_site = request.fetch_site,
                                      .fetch_mode = request.fetch_mode,
                                      .about_us = matched && wire::is_about_us(matched->route)}));
  page = std::string(admitted);
  if (request.preflight && !page.empty() && !matched && !matched.error().allow.empty()) {
    const auto asked_headers = request.head == nullptr
                                   ? std::nullopt
                                   : request.head->find("Access-Control-Request-Headers");
    auto headers = edge::preflight_headers(std::exchange(page, {}), matched.error().allow,
                                           request.private_network, asked_headers.value_or(""));
    PreflightOrRoute asked;
    asked.preflight.emplace(wire::Response{.status = 204, .headers = std::move(headers)});
    return asked;
  }
  RETURN_IF_ERROR(matched);
  if (on.drain.begun() && !wire::is_about_us(matched->route)) {
    return wire::refuse(ErrorCode::kShuttingDown,
                        "this gateway is shutting down: ask again on a new connection");
  }
  PreflightOrRoute asked;
  asked.matched = *std::move(matched);
  return asked;
}

/// A place among those of its user, which no probe needs.
wire::HttpResult<wire::UserPlaces::Place> enter(const Endpoints& on, wire::Route route,
                                                const wire::Caller& caller) {
  if (wire::is_about_us(route)) return wire::UserPlaces::Place();
  auto place = on.edge.users.enter(wire::owner_name(caller));
  if (place) return place;
  return wire::refuse(
      ErrorCode::kOverloaded,
      fmt::format(
          "you already have {} requests in progress, the limit per user: wait for some to finish",
          on.edge.users.caps().per_user));
}

/// In whose name a chat process asks; nothing: it, or anyone else, asks for itself.
wire::HttpResult<std::optional<auth::TurnToken>> acting_for(const Endpoints& on,
                                                            const wire::Request& request,
                                                            wire::Route route,
                                                            const wire::Caller& process) {
  const auto grants = on.policies.grants_of(process);
  RETURN_IF_ERROR(request.on_behalf ? auth::may_act(process, grants, route, on.gate.asks())
                                    : auth::needs_no_turn(route, grants));
  if (!request.on_behalf) return std::optional<auth::TurnToken>();
  return auth::open_turn(on.seal_keys, *request.on_behalf, on.clock.wall());
}

/// As it came; empty: it cannot be read.
std::string path_of(std::string_view text) {
  const auto target = wire::Target::parse(text);
  return target ? std::string(target->path()) : std::string();
}

/// What becomes known of a request while it is answered.
struct Known {
  std::string page{};     ///< as of ask_for
  wire::Caller caller{};  ///< of no user: it is not known
};

loop::Task<wire::HttpResult<wire::Response>> answer(const Endpoints& on,
                                                    const wire::Request& request,
                                                    wire::Route& route, Known& known) {
  CO_ASSIGN_OR_RETURN(auto target, wire::Target::parse(request.target));
  CO_ASSIGN_OR_RETURN(auto asked, ask_for(on, request, target, known.page));
  if (asked.preflight) co_return *std::move(asked.preflight);
  route = asked.matched.route;
  CO_ASSIGN_OR_RETURN(const auto identity, co_await on.gate.identify(request, route));
  known.caller = identity.caller;
  if (!has_right_type(request, route)) {
    co_return wire::refuse(ErrorCode::kUnsupportedMediaType,
                           "send Content-Type: application/json, in UTF-8");
  }
  CO_ASSIGN_OR_RETURN(const auto place, enter(on, route, identity.caller));
  if (wire::needs_switches(route) && !knows_what_may_run(on)) {
    const bool learnt = co_await await_knowledge(on);
    if (!learnt) {
      co_return wire::refuse(ErrorCode::kBusUnavailable,
                             "this gateway could not read yet which tools are switched off, or "
                             "which policy is in force: ask again");
    }
  }
  CO_ASSIGN_OR_RETURN(const auto turn, acting_for(on, request, route, identity.caller));
  if (turn) CO_RETURN_IF_ERROR(auth::stays_in_session(route, asked.matched.id, turn->acting));
  const wire::Caller& caller = turn ? turn->caller : identity.caller;
  const wire::RoutedRequest routed{request,
                                   target,
                                   caller,
                                   std::move(asked.matched.id),
                                   on.policies.grants_of(caller),
                                   turn ? &turn->acting : nullptr};
  CO_RETURN_IF_ERROR(auth::authorize(route, caller, routed.grants));
  auto answered = co_await dispatch(on, route, routed);
  if (answered && answered->events)
    answered->credential_holds = [gate = &on.gate, identity] { return gate->holds(identity); };
  co_return answered;
}

}  // namespace

loop::Task<wire::Response> handle(const Endpoints& endpoints, const wire::Request& request,
                                  wire::Route& route) {
  Known known;
  auto answered = co_await answer(endpoints, request, route, known);
  const auto refused = answered ? answered->refused : std::optional(answered.error().error.code);
  if (refused) endpoints.refusals.note(known.caller, *refused);
  if (refused && wire::is_call(route)) endpoints.counters.refused(*refused);
  if (!answered && auth::is_mcp(route))
    auth::add_challenge(answered.error(), edge::origin_of(endpoints.edge.public_url, request.host),
                        path_of(request.target));
  wire::Response response = answered ? std::move(*answered) : refusal(answered.error(), request);
  if (!known.page.empty()) response.headers += edge::cors_headers(known.page);
  co_return response;
}

}  // namespace toolway::gateway::endpoints
