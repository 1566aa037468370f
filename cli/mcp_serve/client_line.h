#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mcp/http_headers.h"
#include "mcp/message.h"

/// `toolway mcp serve`: the Model Context Protocol over stdin and stdout, for clients on a desktop,
/// as a bridge to a gateway.
namespace toolway::cli::mcp_serve {

/// How long a line may be.
inline constexpr std::size_t kMaxLine = 1UL << 20;

inline constexpr std::int64_t kParseError = -32700;

/// What the bridge must know of a line that a client wrote; the gateway gets the line itself.
struct ClientLine {
  enum class Kind { kRequest, kNotification, kAnswer };
  Kind kind = Kind::kRequest;
  std::optional<mcp::RequestId> id{};       ///< of a request
  std::string method{};                     ///< of a request or notification
  bool stateless = false;                   ///< of the era in which each request says it all
  mcp::Headers headers{};                   ///< that repeat the body, where its revision wants them
  std::string revision{};                   ///< that it says of itself; empty: of the other era
  std::string tool{};                       ///< that it calls, in the era that wants headers
  std::optional<mcp::RequestId> cancels{};  ///< the request that `notifications/cancelled` names

  bool is_request() const { return kind == Kind::kRequest; }
  bool initializes() const { return is_request() && method == "initialize"; }
  bool listens() const { return is_request() && method == "subscriptions/listen"; }
  bool lists_tools() const { return is_request() && method == "tools/list"; }
  bool calls_tool() const { return is_request() && method == "tools/call"; }
};

/// Pure. The error is what the client is answered: -32700 for what is not JSON, -32600 for JSON
/// that is not one message, with the id null.
tl::expected<ClientLine, std::string> read_client_line(std::string_view line);

/// The answer of a request that failed here, or of a line that names none.
std::string error_line(const std::optional<mcp::RequestId>& id, std::int64_t code,
                       std::string message);

}  // namespace toolway::cli::mcp_serve
