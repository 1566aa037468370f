#include "mcp/client_messages.h"

#include <fmt/format.h>

#include "mcp/fields.h"

namespace toolway::mcp {

Request ClientMessages::request(RequestId id, std::string_view method, Json params,
                                const ClientCapabilities& declared) const {
  if (rules_of(revision_).opening == Opening::kEachRequest) {
    if (params.is_null()) params = Json::object();
    auto& meta = params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = revision_name(revision_);
    meta["io.modelcontextprotocol/clientInfo"] = {{"name", client_.name},
                                                  {"version", client_.version}};
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities_json(declared);
  }
  return {std::move(id), std::string(method), std::move(params)};
}

Request ClientMessages::initialize(RequestId id) const {
  return {std::move(id),
          "initialize",
          {{"protocolVersion", revision_name(revision_)},
           {"capabilities", capabilities_json(declared_)},
           {"clientInfo", {{"name", client_.name}, {"version", client_.version}}}}};
}

Notification ClientMessages::initialized() const { return {"notifications/initialized"}; }

Request ClientMessages::ping(RequestId id) const { return {std::move(id), "ping"}; }

Request ClientMessages::discover(RequestId id) const {
  return request(std::move(id), "server/discover");
}

Request ClientMessages::listen(RequestId id) const {
  return request(std::move(id), "subscriptions/listen",
                 {{"notifications", {{"toolsListChanged", true}}}});
}

Request ClientMessages::list_tools(RequestId id, const std::optional<std::string>& cursor) const {
  Json params;
  if (cursor) params["cursor"] = *cursor;
  return request(std::move(id), "tools/list", std::move(params));
}

Request ClientMessages::call_tool(RequestId id, const ToolCall& call) const {
  Json params{{"name", call.name}, {"arguments", call.arguments}};
  if (call.request_state) params["requestState"] = *call.request_state;
  if (!call.input_responses.is_null()) params["inputResponses"] = call.input_responses;
  auto& meta = params["_meta"];
  std::visit([&meta](const auto& token) { meta["progressToken"] = token; }, id);
  if (call.trace.valid()) {
    meta["traceparent"] = call.trace.traceparent();
    if (!call.trace.state.empty()) meta["tracestate"] = call.trace.state;
  }
  return request(std::move(id), "tools/call", std::move(params), call.askable);
}

Notification ClientMessages::cancelled(const RequestId& id, std::string_view reason) const {
  Json params{{"reason", reason}};
  std::visit([&params](const auto& value) { params["requestId"] = value; }, id);
  return {"notifications/cancelled", std::move(params)};
}

Answer answer_to(const Request& request) {
  if (request.method == "ping") return {request.id, Json::object()};
  return {request.id,
          tl::unexpected(RpcError{kMethodNotFound,
                                  fmt::format("this client does not take {}", request.method)})};
}

Answer answer_to_stray(const Request& request) {
  return {request.id,
          tl::unexpected(RpcError{
              kMethodNotFound,
              fmt::format("this client cannot tell to which of its calls {} belongs: several share "
                          "this connection, or one that was given up may still run",
                          request.method)})};
}

bool is_tools_changed(const Notification& notification) {
  return notification.method == "notifications/tools/list_changed";
}
bool is_progress(const Notification& notification) {
  return notification.method == "notifications/progress";
}
std::optional<RequestId> cancelled_request(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return std::nullopt;
  const auto* id = member(notification.params, "requestId");
  if (id == nullptr) return std::nullopt;
  if (id->is_string()) return RequestId(id->get<std::string>());
  if (id->is_number_integer()) return RequestId(id->get<std::int64_t>());
  return std::nullopt;
}

}  // namespace toolway::mcp
