#include "gateway/mcp/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/calls/idempotency.h"
#include "gateway/mcp/offered.h"
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
/// How long an answer that is not streamed waits for its call.
constexpr std::chrono::seconds kCallWait{300};
/// How long clients may keep a list (2026-07-28, basic/patterns/caching).
constexpr int kListTtlMs = 2000;

wire::Response json_response(std::string body, unsigned status = 200) {
  return {.status = status, .body = std::move(body)};
}

wire::Response failed(const RpcFailure& failure) {
  return json_response(failure_text(failure), failure.status);
}

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
  Answering(const McpContext& context, const wire::RoutedRequest& routed, RpcRequest request)
      : context_(context), routed_(routed), request_(std::move(request)) {}

  /// What it was, once it is answered: for metrics.
  Revision revision() const { return request_.revision; }
  const std::string& method() const { return request_.request.method; }
  /// Of an error of the protocol; nothing: it is none.
  std::optional<std::int64_t> failed_with() const { return failed_with_; }

  loop::Task<wire::HttpResult<wire::Response>> answer(const FindSession& find_session) {
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
    }
    if (!knows(method)) co_return failed(unknown_method());
    if (method == "initialize") co_return initialize(session_id);
    if (method == "server/discover") co_return discover();
    if (method == "ping" || method == "logging/setLevel")
      co_return json_response(answer_text(request_.request.id, Json::object()));
    CO_ASSIGN_OR_RETURN(session_, co_await find_session(routed_, std::move(session_id)));
    if (is_offered(method, request_.stateless)) co_return answer_offer();
    if (method == "tools/list") co_return co_await list_tools();
    co_return co_await call_tool();
  }

 private:
  wire::Response failed(const RpcFailure& failure) {
    failed_with_ = failure.error.code;
    return mcp::failed(failure);
  }

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
    const auto revision = negotiate(request_.request.params);
    Json result{{"protocolVersion", toolway::mcp::revision_name(revision)},
                {"capabilities", capabilities()},
                {"serverInfo", server_info()}};
    auto response = json_response(answer_text(request_.request.id, result));
    response.headers = fmt::format(
        "mcp-session-id: {}\r\n",
        seal_session(context_.seal_keys, routed_.caller,
                     {.session_id = session_id, .revision = revision}, context_.clock.wall()));
    return response;
  }

  wire::Response answer_offer() {
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

  /// The call as others are planned. A tool that there is not is an error of the protocol; all else
  /// is told the model.
  loop::Task<wire::HttpResult<calls::PlannedCall>> plan() {
    const auto& params = request_.request.params;
    const auto name = toolway::mcp::short_text(params, "name");
    CO_ASSIGN_OR_RETURN(const auto seen,
                        co_await context_.tools.set_of(session_->namespaces, routed_.grants));
    auto qualified = seen->names.resolve(name);
    if (!qualified) co_return wire::refuse(wire::Problem{.error = qualified.error()});
    calls::CallBody body{.tool = std::move(*qualified),
                         .arguments_text = std::move(request_.arguments_text)};
    const auto* arguments = toolway::mcp::member(params, "arguments");
    if (arguments != nullptr) body.arguments = *arguments;
    // Their name may be written with escapes.
    if (body.arguments_text.empty())
      body.arguments_text = arguments != nullptr ? to_text(*arguments) : "{}";
    if (!body.arguments_text.starts_with('{'))
      co_return wire::refuse(ErrorCode::kInvalidRequest, "params.arguments must be an object");
    if (body.arguments_text.size() > context_.max_arguments_bytes)
      co_return wire::refuse(ErrorCode::kPayloadTooLarge, "the arguments are too large");
    auto planned = co_await calls::plan_request(context_.plan, routed_, *session_, std::move(body));
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
    if (!routed_.request.idempotency_key) co_return wire::HttpResult<void>();
    const auto& params = request_.request.params;
    const auto* arguments = toolway::mcp::member(params, "arguments");
    const Json asked{{"tool", toolway::mcp::short_text(params, "name")},
                     {"text", request_.arguments_text},
                     {"arguments", arguments != nullptr ? *arguments : Json()}};
    auto digest = calls::payload_digest(session_->record.session_id(), asked);
    CO_RETURN_IF_ERROR(co_await calls::look_up_keys(context_.run.keys, routed_, session_->key,
                                                    std::move(digest), entries));
    auto& entry = entries.front();
    if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
    if (entry.settled() && entry.plan && !entry.plan->tool)
      co_return wire::refuse(
          ErrorCode::kUnknownTool,
          fmt::format("the tool of call {}, which this Idempotency-Key began, is not offered any "
                      "more: GET /v1/calls/{}",
                      entry.plan->request.call_id(), entry.plan->request.call_id()));
    co_return wire::HttpResult<void>();
  }

  loop::Task<wire::HttpResult<wire::Response>> call_tool() {
    if (toolway::mcp::short_text(request_.request.params, "name").empty())
      co_return failed(refusal(request_.stateless ? 400 : 200, toolway::mcp::kInvalidParams,
                               "params.name is missing"));
    std::vector<calls::CallEntry> entries(1);
    auto& entry = entries.front();
    CO_RETURN_IF_ERROR(co_await look_up_key(entries));
    if (!entry.settled()) {
      auto planned = co_await plan();
      entry.plan = std::move(planned);
    }
    if (!entry.plan) co_return refused(entry.plan.error().error);
    const auto& spec = entry.plan->tool->spec();
    const bool streams = wants_stream(spec);
    loop::Timer wake(co_await asio::this_coro::executor);
    calls::WaitRoom room;
    entry.waits = !streams;
    const auto begun = context_.clock.monotonic();
    co_await calls::run_call(context_.run, entry, wake, room);
    if (entry.refused && entry.key && is_of_key(entry.refused->error.code))
      co_return wire::refuse(std::move(*entry.refused));
    if (entry.refused) co_return refused(entry.refused->error);
    if (streams) co_return co_await stream(entry);
    if (entry.wait) {
      std::vector<calls::CallWait*> waits{entry.wait.get()};
      co_await calls::wait_for(context_.run.waits, waits, wake, begun + kCallWait,
                               *routed_.request.watch);
    }
    const auto& request = entry.plan->request;
    const auto result =
        entry.wait && entry.wait->completion()
            ? tool_result(*entry.wait->completion(), request, spec, request_.revision)
            : accepted_result(request, request_.revision);
    co_return json_response(answer_text(request_.request.id, result));
  }

  /// What is quick is answered in one piece.
  bool wants_stream(const tools::model::Spec& spec) const {
    if (routed_.request.accept.find("text/event-stream") == std::string_view::npos) return false;
    return !request_.progress_token.is_null() || spec.multi_step ||
           spec.kind != tools::model::Kind::kNative;
  }

  wire::Response refused(const Error& error) {
    if (error.code == ErrorCode::kUnknownTool || error.code == ErrorCode::kAmbiguousTool)
      return failed(
          refusal(request_.stateless ? 400 : 200, toolway::mcp::kInvalidParams, error.message));
    return json_response(
        answer_text(request_.request.id, refused_result(error, request_.revision)));
  }

  loop::Task<wire::HttpResult<wire::Response>> stream(calls::CallEntry& entry) {
    const auto& request = entry.plan->request;
    const auto key = SessionKey::parse(request.session_key());
    const auto id = CallId::parse(request.call_id());
    if (!key || !id) co_return wire::refuse(ErrorCode::kInternal, "a call without a session");
    live::EventScope scope{.session = *key, .call = *id};
    auto feed =
        std::make_unique<live::Feed>(context_.feeds, std::move(scope), wire::EventId{}, false);
    CO_RETURN_IF_ERROR(co_await feed->begin());
    StreamedCall call{.id = request_.request.id,
                      .progress_token = request_.progress_token,
                      .log_level = request_.stateless ? request_.log_level : "debug",
                      .result = [request, tool = entry.plan->tool, revision = request_.revision,
                                 took = when_it_ends()](const Json& completed) {
                        took();
                        return tool_result(completion_of(completed), request, tool->spec(),
                                           revision);
                      }};
    wire::Response response{.content_type = "text/event-stream",
                            .headers = "cache-control: no-store\r\nx-accel-buffering: no\r\n"};
    response.events = std::make_unique<RpcStream>(std::move(feed), std::move(call));
    co_return response;
  }

  /// The answer of a stream is there when its call has completed.
  std::function<void()> when_it_ends() const {
    return [metrics = &context_.metrics, clock = &context_.clock, revision = request_.revision,
            begun = begun_] { metrics->took("tools/call", revision, clock->monotonic() - begun); };
  }

  const McpContext& context_;
  const wire::RoutedRequest& routed_;
  const MonotonicTime begun_ = context_.clock.monotonic();
  std::optional<std::int64_t> failed_with_;
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

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_mcp(const McpContext& context,
                                                      const FindSession& find_session,
                                                      const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(auto read, co_await read_body(context.plan.threads, routed));
  if (!read) {
    context.metrics.failed(read.error().error.code, std::nullopt);
    co_return failed(read.error());
  }
  if (std::holds_alternative<NoAnswer>(*read))
    co_return wire::Response{.status = 202, .content_type = ""};
  Answering answering(context, routed, std::get<RpcRequest>(std::move(*read)));
  const auto begun = context.clock.monotonic();
  auto answered = co_await answering.answer(find_session);
  if (const auto code = answering.failed_with())
    context.metrics.failed(*code, answering.revision());
  if (answered && !answered->events)
    context.metrics.took(answering.method(), answering.revision(),
                         context.clock.monotonic() - begun);
  co_return answered;
}

}  // namespace toolway::gateway::mcp
