#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"
#include "chat/window/tool_list.h"
#include "tools/messages/export.h"
#include "tools/messages/request_blocks.h"

namespace toolway::chat::providers {

/// What is asked of a model besides its answer.
struct ModelOptions {
  std::string model;
  std::optional<double> temperature = 0.5;  ///< nothing: the model's own
  unsigned max_tokens = 1024;               ///< of one reply
  std::string tool_choice = "auto";         ///< auto, none, required, or the name of a tool
};

/// Whether a `tool_choice` is not one of the three words.
bool names_tool(std::string_view tool_choice);

/// Why there is no reply.
struct ProviderError {
  enum class Kind {
    kNotConfigured,    ///< there is no provider that could be asked
    kUnauthenticated,  ///< the key is missing or wrong
    kDenied,           ///< the key may not do that
    kUnknownModel,     ///< no such model, or no such path
    kTooLong,          ///< more than the model, or the server, takes
    kRefused,          ///< the request is wrong, in the provider's opinion
    kRateLimited,
    kOverloaded,   ///< the provider says it cannot serve anyone now
    kUnavailable,  ///< no answer, or an error of the server
    kTimedOut,
    kBadReply,  ///< an answer that is not one of that API, or that ended in the middle
    kStopped,   ///< by the stop token
  };
  Kind kind = Kind::kUnavailable;
  std::string message;  ///< what happened, and what to do; without key and conversation
  std::optional<std::chrono::milliseconds> retry_after{};
};
std::string_view kind_name(ProviderError::Kind kind);

/// A request that failed, and is sent again.
struct Retry {
  ProviderError::Kind why = ProviderError::Kind::kUnavailable;
  std::chrono::milliseconds after{0};
  bool ours = false;  ///< it was not sent yet: our own limit of a minute is reached
};

/// One request. The messages have a result for each call.
struct ModelRequest {
  tools::messages::Selection messages;
  window::ToolListPtr tools = std::make_shared<const window::ToolList>();
  ModelOptions options;
  std::uint64_t tokens = 0;  ///< of it, likely; 0: not known
  bool sure = true;          ///< it fits, whatever its texts come to
  tools::messages::Blocks blocks = tools::messages::Blocks::kShown;  ///< where the API takes them
  std::function<void(const Retry&)> on_retry{};  ///< before the pause; may be empty
};

/// Gets the text of a reply as it comes.
using OnText = std::function<void(std::string_view)>;
using ReplyResult = tl::expected<tools::messages::Message, ProviderError>;

inline tl::unexpected<ProviderError> fail_with(ProviderError::Kind kind, std::string message) {
  return tl::unexpected(ProviderError{kind, std::move(message)});
}

/// A model that answers. `ask` blocks; one request at a time.
class Provider {
 public:
  virtual ~Provider() = default;
  /// Names whose own forms it understands (tools::messages::Native).
  virtual const std::string& id() const = 0;
  virtual tools::exports::ModelApi api() const = 0;
  /// Whether requests to this model have blocks as such.
  virtual tools::messages::Blocks blocks_for(const std::string& /*model*/) const {
    return tools::messages::blocks_of(api());
  }
  /// Returns the assistant's message once it is complete. Ends soon after `stop` is requested.
  virtual ReplyResult ask(const ModelRequest& request, const OnText& on_text,
                          std::stop_token stop) = 0;
};

}  // namespace toolway::chat::providers
