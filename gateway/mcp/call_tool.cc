#include "gateway/mcp/call_tool.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/calls/idempotency.h"
#include "gateway/calls/read_calls.h"
#include "gateway/mcp/accepted_answer.h"
#include "gateway/mcp/approval_question.h"
#include "gateway/mcp/call_headers.h"
#include "gateway/mcp/followed_call.h"
#include "gateway/mcp/give_answers.h"
#include "gateway/mcp/own_answer.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/session_tasks.h"
#include "gateway/mcp/stream_id.h"
#include "gateway/mcp/task.h"
#include "gateway/mcp/tool_result.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;

/// How long an answer that is not streamed waits for its call.
constexpr std::chrono::milliseconds kCallWait{std::chrono::seconds(300)};

class CallingTool {
 public:
  CallingTool(const RequestScope& of, RpcRequest request) : of_(of), request_(std::move(request)) {}

  loop::Task<wire::HttpResult<wire::Response>> answer() {
    const auto& params = request_.request.params;
    if (toolway::mcp::short_text(params, "name").empty()) co_return wrong("params.name is missing");
    if (auto why = wrong_task(params)) co_return wrong(std::move(*why));
    if (!request_.stateless) co_return co_await begin();
    if (auto why = read_responses()) co_return wrong(std::move(*why));
    const auto* state = member(params, "requestState");
    if (state == nullptr) co_return co_await begin();
    std::string sealed = state->is_string() ? state->get<std::string>() : std::string();
    co_return co_await go_on(std::move(sealed));
  }

  /// The rest of the stream that this request began.
  loop::Task<wire::HttpResult<wire::Response>> resume(StreamPlace place) {
    v1::CallRequest call;
    call.set_call_id(place.stream.call_id);
    call.set_session_key(place.stream.session_key);
    auto tool = co_await tool_named();
    auto following = following_of(call, std::move(tool));
    following.late = true;
    auto how = shown_from(place.after);
    how.shown = place.shown;
    how.partly = place.partly;
    how.resumed = true;
    if (place.stream.task) {
      following.task_id = place.stream.call_id;
      how.log_level.clear();
    }
    co_return co_await follow_call(std::move(following), std::move(how));
  }

 private:
  wire::Response wrong(std::string message) const {
    return wrong_params(request_, std::move(message));
  }

  wire::Response refused(const Error& error) const {
    if (error.code == ErrorCode::kUnknownTool || error.code == ErrorCode::kAmbiguousTool)
      return refusing(error.code, wrong(error.message));
    auto text = answer_text(request_.request.id, refused_result(error, request_.revision));
    return refusing(error.code, json_response(std::move(text)));
  }

  /// Why they are none.
  std::optional<std::string> read_responses() {
    const auto* responses = member(request_.request.params, "inputResponses");
    if (responses == nullptr) return std::nullopt;
    auto answers = read_answers(*responses);
    if (!answers) return std::move(answers.error());
    given_ = std::move(*answers);
    return std::nullopt;
  }

  /// The call as others are planned. A tool that there is not is an error of the protocol; all else
  /// is told the model.
  loop::Task<wire::HttpResult<calls::PlannedCall>> plan() {
    const auto& params = request_.request.params;
    CO_ASSIGN_OR_RETURN(const auto seen, co_await of_.context.tools.set_of(of_.session.namespaces,
                                                                           of_.routed.grants));
    auto qualified = seen->names.resolve(toolway::mcp::short_text(params, "name"));
    if (!qualified) co_return wire::refuse(wire::Problem{.error = qualified.error()});
    calls::CallBody body{.tool = std::move(*qualified), .arguments_text = request_.arguments_text};
    const auto* arguments = member(params, "arguments");
    if (arguments != nullptr) body.arguments = *arguments;
    // Their name may be written with escapes.
    if (body.arguments_text.empty())
      body.arguments_text = arguments != nullptr ? to_text(*arguments) : "{}";
    if (!body.arguments_text.starts_with('{'))
      co_return wire::refuse(ErrorCode::kInvalidRequest, "params.arguments must be an object");
    if (body.arguments_text.size() > of_.context.max_arguments_bytes)
      co_return wire::refuse(ErrorCode::kPayloadTooLarge, "the arguments are too large");
    auto planned =
        co_await calls::plan_request(of_.context.plan, of_.routed, of_.session, std::move(body));
    if (planned)
      planned->request.set_face(
          fmt::format("mcp/{}", toolway::mcp::revision_name(request_.revision)));
    co_return planned;
  }

  static bool is_of_key(ErrorCode code) {
    return code == ErrorCode::kRequestInFlight || code == ErrorCode::kIdempotencyKeyReused;
  }

  /// With an Idempotency-Key, what the first request with it began: a repeated one runs nothing
  /// again, and is answered with that call. Errors: what another request with the key has done, as
  /// over REST.
  loop::Task<wire::HttpResult<void>> look_up_key(std::vector<calls::CallEntry>& entries) {
    if (!of_.routed.request.idempotency_key) co_return wire::HttpResult<void>();
    auto payload = calls::payload_digest(of_.session.record.session_id(),
                                         Json{{"tools/call", digest_of(request_)}});
    CO_RETURN_IF_ERROR(co_await calls::look_up_keys(of_.context.run.keys, of_.routed,
                                                    of_.session.key, std::move(payload), entries));
    auto& entry = entries.front();
    if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
    if (entry.settled() && entry.plan && !entry.plan->tool)
      co_return wire::refuse(
          ErrorCode::kUnknownTool,
          fmt::format("the tool of call {0}, which this Idempotency-Key began, is not offered any "
                      "more: GET /v1/calls/{0}",
                      entry.plan->request.call_id()));
    co_return wire::HttpResult<void>();
  }

  bool takes_task() const {
    return toolway::mcp::rules_of(request_.revision).tasks == toolway::mcp::Tasks::kByClient &&
           member(request_.request.params, "task") != nullptr;
  }

  TaskWish task_wish() const {
    return {.asked = takes_task(),
            .declared = request_.tasks,
            .progress = !request_.progress_token.is_null()};
  }

  /// Why its wish for a task is none; nothing: it is one, or there is none.
  std::optional<std::string> wrong_task(const Json& params) const {
    if (!takes_task()) return std::nullopt;
    return wrong_task_params(params["task"]);
  }

  loop::Task<wire::HttpResult<wire::Response>> begin() {
    std::vector<calls::CallEntry> entries(1);
    auto& entry = entries.front();
    CO_RETURN_IF_ERROR(co_await look_up_key(entries));
    if (!entry.settled()) {
      auto planned = co_await plan();
      entry.plan = std::move(planned);
    }
    if (!entry.plan) co_return refused(entry.plan.error().error);
    if (auto why = co_await wrong_headers(of_, request_, *entry.plan)) {
      toolway::mcp::RpcError error{.code = toolway::mcp::kHeaderMismatch,
                                   .message = std::move(*why)};
      co_return failed(request_, std::move(error));
    }
    auto& call = entry.plan->request;
    const auto& spec = entry.plan->tool->spec();
    const auto use = task_use(spec, request_.revision, task_wish());
    if (!use) co_return failed(request_, use.error());
    if (auto own = co_await own_answer(of_, request_, *entry.plan)) co_return *std::move(own);
    bool streams = wants_stream(spec) || *use == TaskUse::kAfterQuestions;
    // An answer in one piece can ask nothing.
    const bool asks = streams || *use == TaskUse::kAtOnce;
    if (!entry.replayed) *call.mutable_askable() = asks ? request_.askable : v1::Askable();
    loop::Timer wake(co_await asio::this_coro::executor);
    calls::WaitRoom room;
    entry.waits = !asks;
    const auto begun = of_.context.clock.monotonic();
    co_await calls::run_call(of_.context.run, entry, wake, room);
    if (entry.refused && entry.key && is_of_key(entry.refused->error.code))
      co_return wire::refuse(std::move(*entry.refused));
    if (entry.refused) co_return refused(entry.refused->error);
    const bool slow = *use == TaskUse::kWhenSlow;
    if (*use == TaskUse::kAtOnce || (*use != TaskUse::kNever && call.has_hold()))
      co_return created_answer(of_, request_, call);
    // Its caller may be asked to approve it; others may take a day.
    const bool asks_caller = may_ask_approval(call);
    if (call.has_hold() && !asks_caller && !entry.replayed)
      co_return co_await accepted(entry, false);
    streams |= asks_caller;
    auto following = following_of(call, entry.plan->tool);
    if (streams) {
      following.digest = digest_of(request_);
      following.late = entry.replayed;
      auto how = shown_from(wire::EventId{});
      how.become_task(*use, spec);
      co_return co_await follow_accepted(std::move(following), std::move(how), entry, *use);
    }
    if (entry.wait) {
      std::vector<calls::CallWait*> waits{entry.wait.get()};
      if (request_.stateless) of_.routed.request.watch->take_closing_for_leaving();
      const auto most = slow ? std::chrono::milliseconds(spec.inline_wait) : kCallWait;
      co_await calls::wait_for(of_.context.run.waits, waits, wake, begun + most,
                               *of_.routed.request.watch);
      const bool gone = !entry.wait->completion() && of_.routed.request.watch->gone();
      if (gone && request_.stateless) co_await following.cancel();
    }
    if (!entry.wait || !entry.wait->completion()) co_return co_await accepted(entry, slow);
    co_return co_await following.answer(*entry.wait->completion());
  }

  /// Follows a call that was accepted. A client that hears of a refusal calls again: when it cannot
  /// be followed, what became of it is the answer.
  loop::Task<wire::HttpResult<wire::Response>> follow_accepted(FollowedCall following,
                                                               Following how,
                                                               const calls::CallEntry& entry,
                                                               TaskUse use) {
    auto followed = co_await follow_call(std::move(following), std::move(how));
    if (followed) co_return std::move(followed);
    co_return co_await accepted(entry, use != TaskUse::kNever);
  }

  loop::Task<wire::Response> accepted(const calls::CallEntry& entry, bool as_task) const {
    const auto& call = entry.plan->request;
    if (as_task) co_return created_answer(of_, request_, call);
    co_return co_await accepted_answer(of_, request_, call, entry.plan->tool);
  }

  /// A retry with answers, or without some: the same call continues.
  loop::Task<wire::HttpResult<wire::Response>> go_on(std::string sealed) {
    const auto& context = of_.context;
    auto state = open_state(context.seal_keys, of_.routed.caller, sealed, context.clock.wall());
    if (!state || state->session_key != of_.session.record.session_key() ||
        state->digest != digest_of(request_))
      co_return wrong(
          "params.requestState was not made here, has expired, or belongs to another request");
    const std::string call_id = state->call_id;
    if (auto approval = given_.extract(std::string(kApprovalKey))) {
      // What is none is asked for again.
      CO_RETURN_IF_ERROR(co_await give_approval(of_.ports, of_.routed.caller, call_id,
                                                std::move(approval.mapped())));
      co_return co_await go_on_held(std::move(*state));
    }
    const auto last = co_await give_retried(of_.ports, of_.routed.caller, call_id, given_);
    if (!last && last.error().error.code == ErrorCode::kNotAsked)
      co_return wrong(last.error().error.message);
    CO_RETURN_IF_ERROR(last);
    if (!*last) co_return co_await go_on_held(std::move(*state));
    const auto submitted = (*last)->submitted_at_us();
    auto waiting = calls::waiting_questions(*last);
    co_return co_await go_on_with(std::move(*state), submitted, std::move(waiting));
  }

  /// The same of a call that takes no answers just now: it is held, or between two attempts.
  loop::Task<wire::HttpResult<wire::Response>> go_on_held(RequestState state) {
    const SessionTasks tasks{.context = of_.context,
                             .read = of_.ports.read_task,
                             .caller = of_.routed.caller,
                             .session_key = state.session_key,
                             .asks_forms = request_.askable.form()};
    const auto facts = co_await tasks.find(state.call_id);
    CO_RETURN_IF_ERROR(facts);
    std::vector<v1::Question> waiting;
    if (facts->approval) waiting.push_back(*facts->approval);
    const auto submitted = to_unix_us(facts->call.submitted_at);
    co_return co_await go_on_with(std::move(state), submitted, std::move(waiting));
  }

  /// Asks what waits for an answer; nothing does: follows the call.
  loop::Task<wire::HttpResult<wire::Response>> go_on_with(RequestState state,
                                                          std::int64_t submitted_at_us,
                                                          std::vector<v1::Question> waiting) {
    v1::CallRequest call;
    call.set_call_id(state.call_id);
    call.set_session_key(state.session_key);
    call.set_submitted_at_us(submitted_at_us);
    auto tool = co_await tool_named();
    auto following = following_of(call, std::move(tool));
    following.digest = state.digest;
    following.late = true;
    if (!waiting.empty())
      co_return json_response(
          answer_text(request_.request.id,
                      input_required(input_requests(waiting), following.state(state.after))));
    auto how = shown_from(state.after);
    if (following.tool) {
      const auto use = task_use(following.tool->spec(), request_.revision, task_wish());
      if (use) how.become_task(*use, following.tool->spec());
    }
    co_return co_await follow_call(std::move(following), std::move(how));
  }

  loop::Task<tools::model::RegisteredToolPtr> tool_named() {
    auto seen = co_await of_.context.tools.set_of(of_.session.namespaces, of_.routed.grants);
    if (!seen) co_return nullptr;
    const auto name =
        (*seen)->names.resolve(toolway::mcp::short_text(request_.request.params, "name"));
    if (!name) co_return nullptr;
    const auto registry = of_.context.plan.registry.now();
    const auto any = [](const tools::model::Spec&) { return true; };
    auto tool = registry->resolve(of_.session.namespaces, *name, any);
    if (!tool) co_return nullptr;
    co_return *tool;
  }

  bool may_ask_approval(const v1::CallRequest& call) const {
    return call.hold().requester_may_decide() && request_.askable.form() &&
           takes_stream(of_.routed);
  }

  /// What is quick is answered in one piece.
  bool wants_stream(const tools::model::Spec& spec) const {
    if (!takes_stream(of_.routed)) return false;
    return !request_.progress_token.is_null() || spec.multi_step || spec.asks_restart ||
           spec.kind != tools::model::Kind::kNative;
  }

  FollowedCall following_of(const v1::CallRequest& call,
                            tools::model::RegisteredToolPtr tool) const {
    FollowedCall made{.context = &of_.context,
                      .answer_call = of_.ports.answer_call,
                      .cancel_call = of_.ports.cancel_call,
                      .read_task = of_.ports.read_task,
                      .read_result = of_.ports.read_result,
                      .caller = of_.routed.caller,
                      .id = request_.request.id,
                      .revision = request_.revision,
                      .stateless = request_.stateless,
                      .request = {},
                      .tool = std::move(tool),
                      .digest = {},
                      .given = given_,
                      .asks_forms = request_.askable.form()};
    made.request.set_call_id(call.call_id());
    made.request.set_session_key(call.session_key());
    made.request.set_submitted_at_us(call.submitted_at_us());
    return made;
  }

  Following shown_from(wire::EventId after) const {
    Following how;
    how.progress_token = request_.progress_token;
    how.log_level = request_.log_level;
    how.after = after;
    how.session = request_.session;
    how.tool = toolway::mcp::short_text(request_.request.params, "name");
    // Until it says otherwise, an older client gets all.
    if (!request_.stateless && how.log_level.empty()) how.log_level = "debug";
    return how;
  }

  const RequestScope& of_;
  RpcRequest request_;
  calls::Answers given_;
};

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> call_tool(const RequestScope& of, RpcRequest request) {
  CallingTool calling(of, std::move(request));
  co_return co_await calling.answer();
}

loop::Task<wire::HttpResult<wire::Response>> resume_call(const McpContext& context,
                                                         const McpPorts& ports,
                                                         const wire::RoutedRequest& routed,
                                                         AgreedSession agreed, std::string sealed) {
  auto place = open_stream_event(context.seal_keys, routed.caller, sealed,
                                 *routed.request.last_event_id, context.clock.wall());
  if (!place)
    co_return failed({.status = 400,
                      .id = std::nullopt,
                      .error = {.code = toolway::mcp::kInvalidParams,
                                .message = "this Last-Event-ID was not made here for this session, "
                                           "or has expired"}});
  CO_ASSIGN_OR_RETURN(const auto session,
                      co_await ports.find_session(routed, session_id_of(routed)));
  const RequestScope of{.context = context, .ports = ports, .routed = routed, .session = *session};
  RpcRequest request{.request = {.id = place->stream.request,
                                 .method = "tools/call",
                                 .params = {{"name", place->stream.tool}}},
                     .revision = agreed.session.revision,
                     .stateless = false,
                     .askable = agreed.session.askable,
                     .progress_token = place->stream.progress_token,
                     .log_level = std::move(agreed.log_level),
                     .session = std::move(sealed)};
  CallingTool calling(of, std::move(request));
  co_return co_await calling.resume(std::move(*place));
}

}  // namespace toolway::gateway::mcp
