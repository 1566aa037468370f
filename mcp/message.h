#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/result.h"

/// JSON-RPC 2.0 as MCP uses it: one message at a time, never a batch. Pure.
namespace toolway::mcp {

/// What ties an answer to its request: a text or a whole number, never null.
using RequestId = std::variant<std::int64_t, std::string>;
/// For logs; cut to 64 bytes.
std::string id_text(const RequestId& id);

// JSON-RPC 2.0, §5.1, and 2026-07-28, basic/index, "Error Codes".
inline constexpr std::int64_t kInvalidRequestError = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedRevision = -32022;

struct RpcError {
  std::int64_t code = 0;
  std::string message;
  Json data{};  ///< null: none
};

struct Request {
  RequestId id;
  std::string method;
  Json params{};  ///< an object, or null: none
};

struct Notification {
  std::string method;
  Json params{};  ///< an object, or null: none
};

struct Answer {
  std::optional<RequestId> id;  ///< nothing: an error about a message whose id could not be read
  tl::expected<Json, RpcError> result{};  ///< an object
};

using Message = std::variant<Request, Notification, Answer>;

/// How large a message from outside may be. Over any of these it is refused before it is parsed.
struct MessageBounds {
  std::size_t bytes = 16 * 1024 * 1024;
  std::size_t values = 1'000'000;  ///< each costs memory, however short its text
};

/// About how many values a JSON text has; not a parser.
std::size_t value_count(std::string_view text);

/// Reads one message; what it does not know of an object is left alone. Errors:
/// kMalformedJson (no JSON, too deep), kPayloadTooLarge (a bound), kInvalidRequest (no message:
/// a batch, a wrong type, an id that is null, both result and error, …).
Result<Message> decode_message(std::string_view text, const MessageBounds& bounds = {});

/// The same of a text that its reader has parsed. Errors: kInvalidRequest.
Result<Message> message_of(Json json);

/// The id under which a message is refused that is not one (JSON-RPC 2.0, §5: null only if it could
/// not be read). Nothing: it has none, or is an answer, whose id names a request of ours.
std::optional<RequestId> id_of_refused(const Json& json);

/// The id that the beginning of a message names, when the rest of it cannot be read or is
/// not there: a guess, good for saying whose answer was lost and for nothing else.
std::optional<RequestId> id_at_beginning(std::string_view text);

/// The message as JSON text on one line.
std::string encode(const Request& request);
std::string encode(const Notification& notification);
std::string encode(const Answer& answer);

}  // namespace toolway::mcp
