#include "gateway/mcp/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/mcp/agreed_session.h"
#include "gateway/mcp/answer_offer.h"
#include "gateway/mcp/approval_question.h"
#include "gateway/mcp/call_tool.h"
#include "gateway/mcp/change_stream.h"
#include "gateway/mcp/give_answers.h"
#include "gateway/mcp/offered.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/rpc_session.h"
#include "gateway/mcp/rpc_span.h"
#include "gateway/mcp/rpc_stream.h"
#include "gateway/mcp/subscribe.h"
#include "gateway/mcp/tasks.h"
#include "gateway/mcp/tool_result.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/request_head.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;
using toolway::mcp::RpcError;

/// How long clients may keep a list (2026-07-28, basic/patterns/caching).
constexpr int kListTtlMs = 2000;
/// A request's call is noted when its answer becomes a stream (followed_call.cc).
constexpr std::chrono::milliseconds kNotedLater{250};

Json server_info() { return {{"name", "toolway"}, {"version", TOOLWAY_VERSION}}; }

RpcHeaders headers_of(const wire::RoutedRequest& routed) {
  const auto* head = routed.request.head;
  if (head == nullptr) return {};
  const auto text = [head](std::string_view name) -> std::optional<std::string> {
    const auto found = head->find(name);
    return found ? std::optional<std::string>(*found) : std::nullopt;
  };
  return {.revision = text("MCP-Protocol-Version"),
          .session = text("MCP-Session-Id"),
          .method = text("Mcp-Method"),
          .name = text("Mcp-Name")};
}

/// One request, with the session of ours that it is about.
class Answering {
 public:
  Answering(const McpContext& context, const McpPorts& ports, const wire::RoutedRequest& routed,
            RpcRequest request)
      : context_(context),
        ports_(ports),
        routed_(routed),
        request_(std::move(request)),
        client_(request_.client) {}

  /// What is spoken, once it is answered.
  Revision revision() const { return request_.revision; }
  /// What its client calls itself, once it is answered.
  const std::string& client() const { return client_; }

  loop::Task<wire::HttpResult<wire::Response>> answer() {
    const auto& method = request_.request.method;
    std::string session_id = session_id_of(routed_);
    if (!request_.stateless && method != "initialize") {
      CO_ASSIGN_OR_RETURN(auto agreed, co_await agreed_session(context_, routed_, request_.session,
                                                               request_.request.id));
      if (!agreed) co_return failed(agreed.error());
      request_.revision = agreed->session.revision;
      request_.askable = agreed->session.askable;
      request_.log_level = std::move(agreed->log_level);
      client_ = std::move(agreed->session.client);
    }
    if (!knows(method)) co_return failed(unknown_method());
    if (method == "ping") co_return json_response(answer_text(request_.request.id, Json::object()));
    if (method == "logging/setLevel") co_return co_await set_level();
    const bool begins = method == "initialize" || method == "server/discover";
    // The caller's own session is opened when something is asked of it.
    if (!begins || !routed_.id.empty()) {
      auto found = co_await ports_.find_session(routed_, session_id);
      if (!found && found.error().error.code == ErrorCode::kUnknownSession)
        co_return no_session(session_id);
      CO_ASSIGN_OR_RETURN(session_, std::move(found));
    }
    if (method == "initialize") co_return initialize(session_id);
    if (method == "server/discover") co_return discover();
    if (method == "tools/list") co_return co_await list_tools();
    const RequestScope scope{
        .context = context_, .ports = ports_, .routed = routed_, .session = *session_};
    if (method == "subscriptions/listen") co_return co_await listen(scope, request_);
    if (is_offered(method)) co_return co_await answer_offer(scope, request_);
    if (is_of_subscriptions(method, request_.stateless))
      co_return co_await answer_subscribe(scope, request_);
    if (is_of_tasks(method, request_.revision)) co_return co_await answer_tasks(scope, request_);
    co_return co_await call_tool(scope, std::move(request_));
  }

 private:
  /// Methods differ by era (2026-07-28, changelog: initialize, ping and logging/setLevel are gone).
  bool knows(std::string_view method) const {
    if (method == "tools/list" || method == "tools/call") return true;
    if (is_offered(method) || is_of_subscriptions(method, request_.stateless)) return true;
    if (is_of_tasks(method, request_.revision)) return true;
    if (request_.stateless) return method == "server/discover" || method == "subscriptions/listen";
    return method == "initialize" || method == "ping" || method == "logging/setLevel";
  }

  wire::Response no_session(const std::string& session_id) const {
    return refusing(
        ErrorCode::kUnknownSession,
        failed(
            {.status = 404,
             .id = request_.request.id,
             .error = {.code = toolway::mcp::kInvalidRequestError,
                       .message = fmt::format(
                           "you have no session \"{0}\": open it with `toolway session open {0} "
                           "-n NAMESPACE` or POST /v1/sessions, or leave its name out of the URL",
                           session_id),
                       .data = {{"code", code_name(ErrorCode::kUnknownSession)}}}}));
  }

  RpcFailure unknown_method() const {
    return {.status = request_.stateless ? 404U : 200U,
            .id = request_.request.id,
            .error = {.code = toolway::mcp::kMethodNotFound,
                      .message = "this server has no such method"}};
  }

  loop::Task<wire::HttpResult<wire::Response>> set_level() {
    const auto level = toolway::mcp::short_text(request_.request.params, "level");
    if (!is_level(level))
      co_return wrong_params(request_, "params.level must be one of the eight levels of RFC 5424");
    const auto set = co_await context_.marks.set_level(request_.session, level);
    if (!set) co_return wire::refuse(wire::bus_problem(set.error()));
    co_return json_response(answer_text(request_.request.id, Json::object()));
  }

  wire::Response initialize(const std::string& session_id) {
    const auto revision = request_.revision = negotiate(request_.request.params);
    Json result{{"protocolVersion", toolway::mcp::revision_name(revision)},
                {"capabilities", capabilities()},
                {"serverInfo", server_info()}};
    auto response = json_response(answer_text(request_.request.id, result));
    RpcSession session{
        .session_id = session_id, .revision = revision, .client = client_label(client_)};
    if (const auto* can = toolway::mcp::member(request_.request.params, "capabilities"))
      session.askable = askable_of(*can);
    response.headers = fmt::format(
        "mcp-session-id: {}\r\n",
        seal_session(context_.seal_keys, routed_.caller, session, context_.clock.wall()));
    return response;
  }

  /// What this server can, in the era of the request.
  Json capabilities() const {
    Json can{{"tools", {{"listChanged", true}}},
             {"logging", Json::object()},
             {"prompts", {{"listChanged", true}}},
             {"resources", {{"listChanged", true}, {"subscribe", true}}},
             {"completions", Json::object()}};
    add_tasks(can, request_.revision);
    return can;
  }

  /// 2026-07-28, server/discover.
  wire::Response discover() {
    Json result{{"resultType", "complete"},
                {"supportedVersions", spoken_revisions()},
                {"capabilities", capabilities()},
                {"ttlMs", kListTtlMs},
                {"cacheScope", "private"},
                {"_meta", {{"io.modelcontextprotocol/serverInfo", server_info()}}}};
    return json_response(answer_text(request_.request.id, result));
  }

  loop::Task<wire::HttpResult<wire::Response>> list_tools() {
    // All are on one page: a cursor is none of ours.
    if (toolway::mcp::member(request_.request.params, "cursor") != nullptr)
      co_return wrong_params(request_, "this cursor was not made here");
    auto list = co_await context_.tools.of(session_->namespaces, list_format(request_.revision),
                                           session_->record.session_key(), routed_.grants);
    CO_RETURN_IF_ERROR(list);
    wire::Response response;
    std::string& out = response.body;
    wire::ObjectText object(out);
    object.text("jsonrpc", "2.0");
    object.json("id", to_text(id_json(request_.request.id)));
    object.begin("result");
    wire::ObjectText result(out);
    result.json("tools", (*list)->json);
    if (request_.stateless) {
      result.text("resultType", "complete");
      result.number("ttlMs", kListTtlMs);
      result.text("cacheScope", "private");
    }
    result.end();
    object.end();
    co_return response;
  }

  const McpContext& context_;
  const McpPorts& ports_;
  const wire::RoutedRequest& routed_;
  RpcRequest request_;
  std::string client_;
  sessions::SessionPtr session_;
};

using ReadMessage = tl::expected<RpcMessage, RpcFailure>;

loop::Task<wire::HttpResult<ReadMessage>> read_body(loop::WorkPool& threads,
                                                    const wire::RoutedRequest& routed) {
  const auto& body = routed.request.body;
  if (body.size() <= loop::WorkPool::kSmall) co_return read_message(body, headers_of(routed));
  auto work = [text = std::string(body), headers = headers_of(routed)]() -> Result<ReadMessage> {
    return read_message(text, headers);
  };
  CO_ASSIGN_OR_RETURN(auto read, co_await threads.run<ReadMessage>(std::move(work)));
  co_return std::move(read);
}

wire::Response accepted() { return {.status = 202, .content_type = ""}; }

/// What a client says that has not heard the answer of its request. A call that is not found has
/// ended at once, or there is none: the notification is taken all the same.
loop::Task<wire::HttpResult<wire::Response>> take_cancellation(const McpContext& context,
                                                               const McpPorts& ports,
                                                               const wire::RoutedRequest& routed,
                                                               NoAnswer notification) {
  CO_ASSIGN_OR_RETURN(const auto agreed,
                      co_await agreed_session(context, routed, notification.session, std::nullopt));
  if (!agreed) co_return failed(agreed.error());
  const auto id = to_text(id_json(*notification.cancels));
  std::string call_id;
  for (const auto pause : {std::chrono::milliseconds(0), kNotedLater}) {
    if (pause.count() > 0) co_await loop::pause(pause);
    auto found = co_await call_of_request(context.bus, notification.session, id);
    if (!found) co_return wire::refuse(wire::bus_problem(std::move(found.error())));
    call_id = std::move(*found);
    if (!call_id.empty()) break;
  }
  if (call_id.empty()) co_return accepted();
  const std::string reason = "its client cancelled the request";
  auto done = co_await ports.cancel_call(routed.caller, std::move(call_id), reason);
  if (!done && done.error().error.code != ErrorCode::kUnknownCall) CO_RETURN_IF_ERROR(done);
  co_return accepted();
}

/// What it says to the question whether its own call may run. A client that cannot answer decides
/// nothing.
loop::Task<wire::HttpResult<wire::Response>> take_approval(const McpPorts& ports,
                                                           const wire::Caller& caller,
                                                           const AskedOf& asked,
                                                           const ClientAnswer& answer) {
  if (!answer.result) co_return accepted();
  CO_ASSIGN_OR_RETURN(auto wrong,
                      co_await give_approval(ports, caller, asked.call_id, *answer.result));
  if (!wrong) co_return accepted();
  co_return failed({.status = 400,
                    .id = std::nullopt,
                    .error = {.code = toolway::mcp::kInvalidParams, .message = std::move(*wrong)}});
}

/// What a client of a handshake revision says to a question. One that comes too late
/// is taken and left out.
loop::Task<wire::HttpResult<wire::Response>> take_answer(const McpContext& context,
                                                         const McpPorts& ports,
                                                         const wire::Caller& caller,
                                                         ClientAnswer answer) {
  const auto asked = open_question(context.seal_keys, caller, answer.id, context.clock.wall());
  if (!asked) co_return accepted();
  if (asked->key == kApprovalKey) co_return co_await take_approval(ports, caller, *asked, answer);
  calls::ToAnswer given({}, calls::ToAnswer::Unasked::kLeftOut);
  given.answers[asked->key] = answer.result
                                  ? std::move(*answer.result)
                                  : declined(asked->method, answer.result.error().message);
  const auto done = co_await give_answers(ports, caller, asked->call_id, given);
  if (done) co_return accepted();
  const auto why = done.error().error;
  if (why.code != ErrorCode::kInvalidRequest) CO_RETURN_IF_ERROR(done);
  // Its tool must not wait for a better one.
  given.answers[asked->key] =
      declined(asked->method, "the client's answer is none: " + why.message);
  CO_RETURN_IF_ERROR(co_await give_answers(ports, caller, asked->call_id, given));
  co_return failed({.status = 400,
                    .id = std::nullopt,
                    .error = {.code = toolway::mcp::kInvalidParams, .message = why.message}});
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_mcp(const McpContext& context,
                                                      const McpPorts& ports,
                                                      const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(auto read, co_await read_body(context.plan.threads, routed));
  if (!read) {
    context.metrics.failed(read.error().error.code, std::nullopt);
    co_return failed(read.error());
  }
  if (auto* notification = std::get_if<NoAnswer>(&*read)) {
    if (!notification->cancels || notification->session.empty()) co_return accepted();
    co_return co_await take_cancellation(context, ports, routed, std::move(*notification));
  }
  if (auto* answer = std::get_if<ClientAnswer>(&*read))
    co_return co_await take_answer(context, ports, routed.caller, std::move(*answer));
  auto& request = std::get<RpcRequest>(*read);
  RpcMeasured measured(context.metrics, context.clock, request.request.method);
  RpcSpan span(context.plan.tracer, context.clock, routed, request);
  Answering answering(context, ports, span.routed(), std::move(request));
  auto answered = co_await answering.answer();
  span.answered(answering.revision(), answered);
  if (answered) measured.answered(answering.revision(), *answered);
  context.metrics.asked(answering.client(), answering.revision());
  co_return answered;
}

loop::Task<wire::HttpResult<wire::Response>> delete_mcp(const McpContext& context,
                                                        const wire::RoutedRequest& routed) {
  if (const auto refused = refuse_without_handshake(routed)) co_return wire::refuse(*refused);
  auto sealed = session_header(routed);
  CO_ASSIGN_OR_RETURN(const auto agreed,
                      co_await agreed_session(context, routed, sealed, std::nullopt));
  if (!agreed) co_return failed(agreed.error());
  const auto ended = co_await context.marks.end(std::move(sealed));
  if (!ended) co_return wire::refuse(wire::bus_problem(ended.error()));
  co_return wire::Response{.status = 204, .content_type = ""};
}

}  // namespace toolway::gateway::mcp
