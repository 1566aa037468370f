#include "gateway/mcp/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/mcp/call_tool.h"
#include "gateway/mcp/offered.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/rpc_session.h"
#include "gateway/mcp/rpc_stream.h"
#include "gateway/mcp/tool_result.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/request_head.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;
using toolway::mcp::RpcError;

constexpr std::string_view kOwnSession = "mcp";
/// How long clients may keep a list (2026-07-28, basic/patterns/caching).
constexpr int kListTtlMs = 2000;

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
      : context_(context), ports_(ports), routed_(routed), request_(std::move(request)) {}

  /// What is spoken, once it is answered.
  Revision revision() const { return request_.revision; }

  loop::Task<wire::HttpResult<wire::Response>> answer() {
    const auto& method = request_.request.method;
    std::string session_id = routed_.id.empty() ? std::string(kOwnSession) : routed_.id;
    if (!request_.stateless && method != "initialize") {
      if (request_.session.empty())
        co_return failed(refusal(400, toolway::mcp::kInvalidRequestError,
                                 "the header MCP-Session-Id is missing: send initialize first"));
      const auto agreed = open_session_id(context_.seal_keys, routed_.caller, request_.session,
                                          context_.clock.wall());
      if (!agreed || agreed->session_id != session_id)
        co_return failed(refusal(404, toolway::mcp::kInvalidRequestError,
                                 "there is no such session: send initialize again"));
      request_.revision = agreed->revision;
      request_.askable = agreed->askable;
    }
    if (!knows(method)) co_return failed(unknown_method());
    if (method == "initialize") co_return initialize(session_id);
    if (method == "server/discover") co_return discover();
    if (method == "ping" || method == "logging/setLevel")
      co_return json_response(answer_text(request_.request.id, Json::object()));
    CO_ASSIGN_OR_RETURN(session_, co_await ports_.find_session(routed_, std::move(session_id)));
    if (is_offered(method, request_.stateless)) co_return answer_offer();
    if (method == "tools/list") co_return co_await list_tools();
    const ToolCalling calling{
        .context = context_, .ports = ports_, .routed = routed_, .session = *session_};
    co_return co_await call_tool(calling, std::move(request_));
  }

 private:
  RpcFailure refusal(unsigned status, std::int64_t code, std::string message) const {
    return {.status = status,
            .id = request_.request.id,
            .error = {.code = code, .message = std::move(message)}};
  }

  /// Methods differ by era (2026-07-28, changelog: initialize, ping and logging/setLevel are gone).
  bool knows(std::string_view method) const {
    if (method == "tools/list" || method == "tools/call") return true;
    if (is_offered(method, request_.stateless)) return true;
    if (request_.stateless) return method == "server/discover";
    return method == "initialize" || method == "ping" || method == "logging/setLevel";
  }

  RpcFailure unknown_method() const {
    return refusal(request_.stateless ? 404 : 200, toolway::mcp::kMethodNotFound,
                   "this server has no such method");
  }

  wire::Response initialize(const std::string& session_id) {
    const auto revision = request_.revision = negotiate(request_.request.params);
    Json result{{"protocolVersion", toolway::mcp::revision_name(revision)},
                {"capabilities", capabilities()},
                {"serverInfo", server_info()}};
    auto response = json_response(answer_text(request_.request.id, result));
    RpcSession session{.session_id = session_id, .revision = revision};
    if (const auto* can = toolway::mcp::member(request_.request.params, "capabilities"))
      session.askable = askable_of(*can);
    response.headers = fmt::format(
        "mcp-session-id: {}\r\n",
        seal_session(context_.seal_keys, routed_.caller, session, context_.clock.wall()));
    return response;
  }

  wire::Response answer_offer() const {
    const Offered offered{.offers = context_.offers,
                          .namespaces = session_->namespaces,
                          .grants = routed_.grants,
                          .stateless = request_.stateless};
    auto answered = answer_offered(offered, request_.request.method, request_.request.params);
    if (answered) return json_response(answer_text(request_.request.id, *answered));
    return failed({.status = request_.stateless ? 400U : 200U,
                   .id = request_.request.id,
                   .error = std::move(answered.error())});
  }

  /// What this server can, in the era of the request.
  Json capabilities() const {
    Json can{{"tools", Json::object()},
             {"logging", Json::object()},
             {"prompts", Json::object()},
             {"resources", Json::object()},
             {"completions", Json::object()}};
    if (!request_.stateless) can["resources"]["subscribe"] = true;
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
      co_return failed(refusal(request_.stateless ? 400 : 200, toolway::mcp::kInvalidParams,
                               "this cursor was not made here"));
    auto list = co_await context_.tools.of(session_->namespaces, tools::exports::Format::kMcp,
                                           session_->record.session_key(), routed_.grants);
    CO_RETURN_IF_ERROR(list);
    wire::Response response;
    std::string& out = response.body;
    wire::ObjectText object(out);
    object.text("jsonrpc", "2.0");
    object.json("id", id_json());
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

  std::string id_json() const {
    if (const auto* number = std::get_if<std::int64_t>(&request_.request.id))
      return std::to_string(*number);
    return to_text(Json(std::get<std::string>(request_.request.id)));
  }

  const McpContext& context_;
  const McpPorts& ports_;
  const wire::RoutedRequest& routed_;
  RpcRequest request_;
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

/// What a client of a handshake revision says to a question. One that comes too late
/// is taken and left out.
loop::Task<wire::HttpResult<wire::Response>> take_answer(const McpContext& context,
                                                         const McpPorts& ports,
                                                         const wire::Caller& caller,
                                                         ClientAnswer answer) {
  const auto asked = open_question(context.seal_keys, caller, answer.id, context.clock.wall());
  if (!asked) co_return accepted();
  calls::ToAnswer given({}, calls::ToAnswer::Unasked::kLeftOut);
  given.answers[asked->key] = answer.result
                                  ? std::move(*answer.result)
                                  : declined(asked->method, answer.result.error().message);
  auto done = co_await ports.answer_call(caller, asked->call_id, given);
  if (done || done.error().error.code == ErrorCode::kNotAsked) co_return accepted();
  const auto why = done.error().error;
  if (why.code != ErrorCode::kInvalidRequest) CO_RETURN_IF_ERROR(done);
  // Its tool must not wait for a better one.
  given.answers[asked->key] =
      declined(asked->method, "the client's answer is none: " + why.message);
  CO_RETURN_IF_ERROR(co_await ports.answer_call(caller, asked->call_id, given));
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
  if (std::holds_alternative<NoAnswer>(*read)) co_return accepted();
  if (auto* answer = std::get_if<ClientAnswer>(&*read))
    co_return co_await take_answer(context, ports, routed.caller, std::move(*answer));
  auto& request = std::get<RpcRequest>(*read);
  RpcMeasured measured(context.metrics, context.clock, request.request.method);
  Answering answering(context, ports, routed, std::move(request));
  auto answered = co_await answering.answer();
  if (answered) measured.answered(answering.revision(), *answered);
  co_return answered;
}

}  // namespace toolway::gateway::mcp
