#include "cli/mcp_serve/client_line.h"

#include <utility>

#include "mcp/fields.h"

namespace toolway::cli::mcp_serve {
namespace {

constexpr const char* kMetaRevision = "io.modelcontextprotocol/protocolVersion";

std::string text_at(const Json& object, const char* name) {
  const auto* found = mcp::member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

/// The revision that a message says of itself; empty: it is of the other era.
std::string revision_in(const Json& params) {
  const auto* meta = mcp::member(params, "_meta");
  return meta != nullptr ? text_at(*meta, kMetaRevision) : std::string();
}

/// 2026-07-28, basic/transports/streamable-http: what headers repeat of the body. Those of a
/// revision that is unknown here, too: the gateway says so.
mcp::Headers repeated(const std::string& method, const Json& params, const std::string& revision) {
  mcp::Headers headers{{"MCP-Protocol-Version", mcp::header_value(revision)},
                       {"Mcp-Method", mcp::header_value(method)}};
  const char* named = method == "resources/read"                          ? "uri"
                      : method == "tools/call" || method == "prompts/get" ? "name"
                      : method.starts_with("tasks/")                      ? "taskId"
                                                                          : nullptr;
  const auto name = named != nullptr ? text_at(params, named) : std::string();
  if (!name.empty()) headers.emplace_back("Mcp-Name", mcp::header_value(name));
  return headers;
}

std::optional<mcp::RequestId> cancelled_by(const Json& params) {
  const auto* id = mcp::member(params, "requestId");
  if (id == nullptr) return std::nullopt;
  if (id->is_string()) return id->get<std::string>();
  if (id->is_number_integer()) return id->get<std::int64_t>();
  return std::nullopt;
}

void take_what_is_said(ClientLine& line, const Json& params) {
  line.revision = revision_in(params);
  line.stateless = !line.revision.empty();
  if (!line.stateless) return;
  line.headers = repeated(line.method, params, line.revision);
  if (line.calls_tool()) line.tool = text_at(params, "name");
}

}  // namespace

tl::expected<ClientLine, std::string> read_client_line(std::string_view line) {
  auto decoded = mcp::decode_message(line, {.bytes = kMaxLine});
  if (!decoded) {
    const bool parse = decoded.error().code == ErrorCode::kMalformedJson;
    const auto json = decoded.error().code == ErrorCode::kInvalidRequest ? parse_json(line)
                                                                         : Result<Json>(Json());
    return tl::unexpected(error_line(json ? mcp::id_of_refused(*json) : std::nullopt,
                                     parse ? kParseError : mcp::kInvalidRequestError,
                                     decoded.error().message));
  }
  ClientLine read;
  if (auto* request = std::get_if<mcp::Request>(&*decoded)) {
    read.id = std::move(request->id);
    read.method = std::move(request->method);
    take_what_is_said(read, request->params);
    return read;
  }
  read.kind = ClientLine::Kind::kAnswer;
  if (auto* notification = std::get_if<mcp::Notification>(&*decoded)) {
    read.kind = ClientLine::Kind::kNotification;
    read.method = std::move(notification->method);
    take_what_is_said(read, notification->params);
    if (read.method == "notifications/cancelled") read.cancels = cancelled_by(notification->params);
  }
  return read;
}

std::string error_line(const std::optional<mcp::RequestId>& id, std::int64_t code,
                       std::string message) {
  return mcp::encode(mcp::Answer{
      .id = id,
      .result = tl::unexpected(mcp::RpcError{.code = code, .message = std::move(message)})});
}

}  // namespace toolway::cli::mcp_serve
