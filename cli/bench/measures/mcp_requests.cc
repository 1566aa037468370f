#include "cli/bench/measures/mcp_requests.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/bench/connections/exchange.h"

namespace toolway::cli::bench::measures {
namespace {

constexpr const char* kAccept = "Accept: application/json, text/event-stream\r\n";
constexpr const char* kStateless = "2026-07-28";

OrderedJson message(const std::string& method, OrderedJson params) {
  return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace

std::string McpRequests::post(const std::string& path, const OrderedJson& body,
                              const std::string& headers) const {
  return connections::bytes_of(
      {.method = "POST", .path = path, .body = to_text(body), .headers = headers}, where_,
      {user_, {}});
}

std::string McpRequests::get(const std::string& path, const std::string& headers) const {
  return connections::bytes_of({.method = "GET", .path = path, .headers = headers}, where_,
                               {user_, {}});
}

std::string McpRequests::older(const std::string& path, const std::string& headers,
                               const std::string& method, OrderedJson params) const {
  return post(path, message(method, std::move(params)), headers);
}

std::string McpRequests::newer(const std::string& path, const std::string& method,
                               OrderedJson params, const std::string& name) const {
  params["_meta"] = {
      {"io.modelcontextprotocol/protocolVersion", kStateless},
      {"io.modelcontextprotocol/clientCapabilities",
       {{"extensions", {{"io.modelcontextprotocol/tasks", OrderedJson::object()}}}}}};
  return post(path, message(method, std::move(params)),
              fmt::format("{}MCP-Protocol-Version: {}\r\nMcp-Method: {}\r\n{}", kAccept, kStateless,
                          method, name.empty() ? "" : fmt::format("Mcp-Name: {}\r\n", name)));
}

std::string McpRequests::initialize(const std::string& path, const std::string& revision) const {
  return post(path,
              message("initialize", {{"protocolVersion", revision},
                                     {"capabilities", {{"elicitation", OrderedJson::object()}}},
                                     {"clientInfo", {{"name", "bench"}, {"version", "1"}}}}),
              kAccept);
}

Result<std::vector<std::string>> McpRequests::ids_of(
    std::size_t count, const std::function<std::string(std::size_t)>& request,
    std::string_view field) const {
  ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(where_));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const auto answer, exchange.ask(request(i)));
    std::size_t from = 0;
    ids.emplace_back(connections::next_text_field(answer.body, field, from));
    if (ids.back().empty())
      return fail(ErrorCode::kInvalidRequest, "no call began: " + std::string(answer.body));
  }
  return ids;
}

Result<std::string> McpRequests::handshake(const std::string& path,
                                           const std::string& revision) const {
  ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(where_));
  ASSIGN_OR_RETURN(const auto answer, exchange.ask(initialize(path, revision)));
  const auto session = connections::header_of(answer.head, "mcp-session-id");
  if (session.empty())
    return fail(ErrorCode::kInvalidRequest, "initialize: " + std::string(answer.body));
  return fmt::format("{}MCP-Protocol-Version: {}\r\nMCP-Session-Id: {}\r\n", kAccept, revision,
                     session);
}

}  // namespace toolway::cli::bench::measures
