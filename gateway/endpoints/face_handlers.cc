#include "gateway/endpoints/face_handlers.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/try.h"
#include "gateway/calls/call_keys.h"
#include "gateway/endpoints/face_error.h"
#include "gateway/endpoints/face_request.h"
#include "gateway/endpoints/face_stream.h"
#include "gateway/endpoints/turn_start.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/api_writer.h"

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

constexpr std::string_view kUsualSession = "chat";
/// For a reply that is not streamed.
constexpr std::chrono::seconds kReplyWait{600};

loop::Task<wire::HttpResult<FaceRequest>> read_request(const MessagesContext& context,
                                                       const wire::RoutedRequest& routed,
                                                       ModelApi api, std::string session) {
  auto work = [text = std::string(routed.request.body), api, session = std::move(session),
               keyed = routed.request.idempotency_key.has_value()]() -> Result<FaceRequest> {
    ASSIGN_OR_RETURN(auto body, parse_ordered_json(text, kMaxFaceDepth));
    auto payload = keyed ? calls::payload_digest(session, Json(body)) : std::string();
    ASSIGN_OR_RETURN(auto request, read_face_request(std::move(body), api));
    request.payload_sha256 = std::move(payload);
    return request;
  };
  CO_ASSIGN_OR_RETURN(auto request, co_await context.work.run<FaceRequest>(std::move(work)));
  co_return std::move(request);
}

/// Only the usual one is opened at first use: another name may be mistyped, or of a session that
/// was deleted.
loop::Task<wire::HttpResult<sessions::SessionPtr>> session_of(const SessionsContext& sessions,
                                                              const wire::RoutedRequest& routed,
                                                              std::string name) {
  if (name == kUsualSession) co_return co_await session_or_new(sessions, routed, std::move(name));
  co_return co_await sessions.sessions.find_open(routed.caller, name);
}

std::string headers_of(const std::vector<calls::CallEntry>& entries, bool failed) {
  return fmt::format("{}x-toolway-call: {}\r\n{}", calls::replay_header(entries),
                     entries.front().plan->request.call_id(),
                     failed ? kNotAgain : std::string_view());
}

wire::Response failed_turn(const v1::CallError& error, ModelApi api,
                           const std::vector<calls::CallEntry>& entries) {
  auto said = face_error(api, error.code(), error.message());
  wire::Response response{.status = said.status, .headers = headers_of(entries, true)};
  response.body = to_text(said.body);
  if (error.retry_after_ms() > 0)
    response.headers += fmt::format("retry-after: {}\r\n", (error.retry_after_ms() + 999) / 1000);
  return response;
}

wire::Response answered(const v1::Completed& completed, ModelApi api,
                        const tools::messages::ReplyIdentity& identity,
                        const std::vector<calls::CallEntry>& entries) {
  if (completed.outcome() != v1::OUTCOME_SUCCEEDED)
    return failed_turn(completed.error(), api, entries);
  wire::Response response{.headers = headers_of(entries, false)};
  const auto result = parse_json(completed.result());
  const auto message = message_of_turn(result ? *result : Json(), identity.model);
  response.body = to_text(tools::messages::make_api_writer(api, identity)->whole(message));
  return response;
}

/// A client that goes away does not want its turn any more, as at the models' own servers.
loop::Task<void> cancel_turn(calls::CancelCall cancel, wire::Caller caller, std::string call) {
  const auto done = co_await cancel(caller, call, "its client went away");
  if (!done) spdlog::debug("turn {} was not cancelled: {}", call, done.error().error.message);
}

loop::Task<wire::HttpResult<wire::Response>> stream_turn(
    const MessagesContext& context, const calls::CancelCall& cancel,
    const wire::RoutedRequest& routed, ModelApi api, tools::messages::ReplyIdentity identity,
    const std::vector<calls::CallEntry>& entries) {
  CO_ASSIGN_OR_RETURN(auto events, co_await events_of_turn(context, entries.front().plan->request));
  FaceStream::Left left;
  if (!routed.request.idempotency_key)
    left = [cancel, caller = routed.caller, call = identity.id] {
      return cancel_turn(cancel, caller, call);
    };
  wire::Response response{.content_type = "text/event-stream",
                          .headers = "cache-control: no-store\r\n" + headers_of(entries, false)};
  response.events =
      std::make_unique<FaceStream>(std::move(events), api, std::move(identity), std::move(left));
  co_return response;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> answer_as_model(const MessagesContext& context,
                                                             const SessionsContext& sessions,
                                                             const calls::CancelCall& cancel,
                                                             const wire::RoutedRequest& routed,
                                                             ModelApi api) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  std::string name(routed.request.session.value_or(kUsualSession));
  CO_ASSIGN_OR_RETURN(auto request, co_await read_request(context, routed, api, name));
  CO_ASSIGN_OR_RETURN(const auto session, co_await session_of(sessions, routed, std::move(name)));
  CO_RETURN_IF_ERROR(co_await check_chat_runs(context));
  std::vector<calls::CallEntry> entries(1);
  auto& entry = entries.front();
  KeyedTurn turn{.call = std::move(request.turn),
                 .payload_sha256 = std::move(request.payload_sha256)};
  CO_RETURN_IF_ERROR(co_await plan_keyed_turn(context, routed, *session, std::move(turn), entries));
  auto& peer = *routed.request.watch;
  peer.take_closing_for_leaving();
  const auto wait = request.streams ? std::nullopt : std::optional(kReplyWait);
  CO_RETURN_IF_ERROR(co_await start_turn(context, routed, entry, wait));
  const std::string call = entry.plan->request.call_id();
  tools::messages::ReplyIdentity identity{
      .id = call,
      .model = request.model,
      .created_s = entry.plan->request.submitted_at_us() / 1'000'000,
      .streams_usage = request.streams_usage};
  if (request.streams)
    co_return co_await stream_turn(context, cancel, routed, api, std::move(identity), entries);
  if (entry.completed())
    co_return answered(entry.wait->completion()->completed(), api, identity, entries);
  if (peer.gone() && !routed.request.idempotency_key)
    co_await cancel_turn(cancel, routed.caller, call);
  v1::CallError late;
  late.set_code(std::string(code_name(ErrorCode::kTimeout)));
  late.set_message("the turn takes longer than a request waits; it continues as call " + call);
  co_return failed_turn(late, api, entries);
}

}  // namespace toolway::gateway::endpoints
