#include "tests/chaos/mcp_face.h"

#include "tests/chaos/event_seen.h"

namespace toolway::chaos {
namespace {

constexpr const char* kMeta = "io.modelcontextprotocol/";

OrderedJson elicitation() { return {{"elicitation", OrderedJson::object()}}; }

}  // namespace

const char* revision_of(Era era) {
  switch (era) {
    case Era::k2025_06_18: return "2025-06-18";
    case Era::k2025_11_25: return "2025-11-25";
    case Era::k2026_07_28: return "2026-07-28";
  }
  return "";
}

bool has_handshake(Era era) { return era != Era::k2026_07_28; }

OrderedJson initialize_params(Era era) {
  return {{"protocolVersion", revision_of(era)},
          {"capabilities", elicitation()},
          {"clientInfo", {{"name", "chaos"}, {"version", "1"}}}};
}

std::string request_body(Era era, int id, const std::string& method, OrderedJson params,
                         const Wishes& wishes) {
  OrderedJson meta = OrderedJson::object();
  if (!wishes.progress_token.empty()) meta["progressToken"] = wishes.progress_token;
  if (!has_handshake(era)) {
    auto capabilities = elicitation();
    if (wishes.tasks)
      capabilities["extensions"] = {{std::string(kMeta) + "tasks", OrderedJson::object()}};
    meta[std::string(kMeta) + "protocolVersion"] = revision_of(era);
    meta[std::string(kMeta) + "clientCapabilities"] = std::move(capabilities);
    if (wishes.logs) meta[std::string(kMeta) + "logLevel"] = "debug";
  }
  if (!meta.empty()) params["_meta"] = std::move(meta);
  return to_text(OrderedJson{
      {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string notification_body(const std::string& method, OrderedJson params) {
  return to_text(
      OrderedJson{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string response_body(const OrderedJson& id, OrderedJson result) {
  return to_text(OrderedJson{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

HeaderMap headers_of(Era era, const std::string& method, const OrderedJson& params,
                     const std::string& session) {
  HeaderMap headers{{"Accept", "application/json, text/event-stream"},
                    {"MCP-Protocol-Version", revision_of(era)}};
  if (has_handshake(era)) {
    if (!session.empty()) headers["MCP-Session-Id"] = session;
    return headers;
  }
  headers["Mcp-Method"] = method;
  const auto name = text_at(params, method == "tools/call" ? "name" : "taskId");
  if (!name.empty()) headers["Mcp-Name"] = name;
  return headers;
}

OrderedJson answer_of(const std::string& value) {
  if (value.empty()) return {{"action", "decline"}};
  return {{"action", "accept"}, {"content", {{"value", value}}}};
}

}  // namespace toolway::chaos
