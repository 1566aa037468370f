#include "gateway/endpoints/face_handlers.h"

#include "base/try.h"
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
                                                       ModelApi api) {
  auto work = [text = std::string(routed.request.body), api]() -> Result<FaceRequest> {
    return read_face_request(text, api);
  };
  CO_ASSIGN_OR_RETURN(auto request, co_await context.work.run<FaceRequest>(std::move(work)));
  co_return std::move(request);
}

ModelApi api_of(wire::Route route) {
  if (route == wire::Route::kResponses) return ModelApi::kOpenAiResponses;
  return route == wire::Route::kAnthropicMessages ? ModelApi::kAnthropic : ModelApi::kOpenAi;
}

wire::Response answered(const v1::CallEvent& completion, ModelApi api,
                        const tools::messages::ReplyIdentity& identity) {
  const auto& completed = completion.completed();
  wire::Response response;
  if (completed.outcome() == v1::OUTCOME_SUCCEEDED) {
    const auto result = parse_json(completed.result());
    const auto message = message_of_turn(result ? *result : Json(), identity.model);
    response.body = to_text(tools::messages::make_api_writer(api, identity)->whole(message));
    return response;
  }
  auto error = face_error(api, completed.error().code(), completed.error().message());
  response.status = error.status;
  response.body = to_text(error.body);
  return response;
}

loop::Task<wire::HttpResult<wire::Response>> answer_turn(const MessagesContext& context,
                                                         const SessionsContext& sessions,
                                                         const wire::RoutedRequest& routed,
                                                         ModelApi api) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto request, co_await read_request(context, routed, api));
  CO_ASSIGN_OR_RETURN(
      const auto session,
      co_await session_or_new(sessions, routed,
                              std::string(routed.request.session.value_or(kUsualSession))));
  CO_RETURN_IF_ERROR(co_await check_chat_runs(context));
  std::vector<calls::CallEntry> entries(1);
  auto& entry = entries.front();
  auto planned = co_await plan_turn(context, routed, *session, std::move(request.turn));
  entry.plan = std::move(planned);
  if (!entry.plan) co_return wire::refuse(std::move(entry.plan.error()));
  const auto wait = request.streams ? std::nullopt : std::optional(kReplyWait);
  CO_RETURN_IF_ERROR(co_await start_turn(context, routed, entry, wait));
  const std::string call = entry.plan->request.call_id();
  const tools::messages::ReplyIdentity identity{
      .id = call,
      .model = request.model,
      .created_s = entry.plan->request.submitted_at_us() / 1'000'000};
  if (request.streams) {
    CO_ASSIGN_OR_RETURN(auto events, co_await events_of_turn(context, entry.plan->request));
    wire::Response response{
        .content_type = "text/event-stream",
        .headers = "cache-control: no-store\r\nx-toolway-call: " + call + "\r\n"};
    response.events = std::make_unique<FaceStream>(std::move(events), api, identity);
    co_return response;
  }
  if (!entry.wait || !entry.wait->completion())
    co_return wire::refuse(
        ErrorCode::kTimeout,
        "the turn takes longer than a request waits; it continues as call " + call);
  auto response = answered(*entry.wait->completion(), api, identity);
  response.headers = "x-toolway-call: " + call + "\r\n";
  co_return response;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> answer_as_model(const MessagesContext& context,
                                                             const SessionsContext& sessions,
                                                             const wire::RoutedRequest& routed,
                                                             wire::Route route) {
  const ModelApi api = api_of(route);
  auto answered = co_await answer_turn(context, sessions, routed, api);
  if (answered) co_return answered;
  const auto& problem = answered.error();
  constexpr unsigned kUnprocessable = 422;  // none of these APIs answers with it
  auto status = wire::status_of(problem);
  if (status == kUnprocessable) status = 400;
  wire::Response response{.status = status, .refused = problem.error.code};
  response.body = to_text(tools::messages::api_error(
      api, status < 500 ? "invalid_request_error" : "api_error", problem.error.message));
  if (problem.error.retry_after)
    response.headers =
        fmt::format("retry-after: {}\r\n", (problem.error.retry_after->count() + 999) / 1000);
  co_return response;
}

}  // namespace toolway::gateway::endpoints
