#include "tools/executors/mcp_client/server_link.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/model/readable.h"

namespace toolway::tools::executors::mcp_client {

model::ToolError server_unavailable(const std::string& server, const std::string& why) {
  model::ToolError error("mcp_server_unavailable",
                         fmt::format("MCP server '{}' cannot be reached: {}", server, why));
  error.retryable = true;
  return error;
}

model::ToolError server_died(const std::string& server, LinkCall::Again again) {
  model::ToolError error("mcp_server_died",
                         fmt::format("MCP server '{}' ended while it ran the call", server));
  error.retryable = again == LinkCall::Again::kOnce;
  if (!error.retryable)
    error.message += "; the tool is not idempotent, and may or may not have taken effect";
  return error;
}

model::ToolError protocol_error(const std::string& server, const std::string& what,
                                LinkCall::Again again) {
  model::ToolError error("mcp_protocol_error",
                         fmt::format("MCP server '{}' does not speak the protocol: {}", server,
                                     model::readable(what)));
  error.retryable = again == LinkCall::Again::kOnce;
  return error;
}

model::ToolError call_timed_out(const std::string& server, std::chrono::milliseconds after) {
  model::ToolError error(
      "mcp_timeout",
      fmt::format("MCP server '{}' did not answer the call within {} ms", server, after.count()));
  error.retryable = true;
  return error;
}

model::ToolError call_cancelled() {
  return model::ToolError(Error{ErrorCode::kCancelled, "the call was asked to stop"});
}

model::ToolError refused_by(const std::string& server, const mcp::RpcError& error) {
  model::ToolError refused("mcp_refused",
                           fmt::format("MCP server '{}' refused the call with error {}: {}", server,
                                       error.code, model::readable(error.message)));
  refused.details = {{"code", error.code}};
  if (!error.data.is_null()) refused.details["data"] = error.data;
  return refused;
}

model::ToolError input_required(const std::string& server, const std::vector<std::string>& asks) {
  model::ToolError error(
      "mcp_input_required",
      asks.empty()
          ? fmt::format("MCP server '{}' asked for the same call again and again", server)
          : fmt::format(
                "MCP server '{}' asks for {} before it continues, which the call's client cannot be "
                "asked",
                server, fmt::join(asks, ", ")));
  error.details = {{"asks", asks}};
  return error;
}

model::ToolError asks_too_much(const std::string& server, const std::string& what) {
  return {"mcp_input_required", fmt::format("MCP server '{}' asks too much: {}", server, what)};
}

}  // namespace toolway::tools::executors::mcp_client
