#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "mcp/http_headers.h"
#include "mcp/tool_call.h"
#include "tools/executors/mcp_client/server_config.h"
#include "tools/executors/mcp_client/tool_listing.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::mcp_client {

class CallQuestions;

/// One call of one tool, as a link carries it.
struct LinkCall {
  /// Whether the call may be sent again when the server dies under it.
  enum class Again { kNever, kOnce };

  mcp::ToolCall call;
  mcp::Headers headers{};  ///< over HTTP, besides what every request has
  Again again = Again::kNever;
  std::chrono::milliseconds timeout{0};  ///< 0: none but `cancelled`
  std::stop_token cancelled{};
  std::function<void(const mcp::ProgressNotification&)>
      on_progress{};  ///< on the thread that called
  /// Takes what the server asks; null: it may ask nothing.
  CallQuestions* questions = nullptr;
};

/// Why there is no server to speak to now, or none that lists its tools.
struct LinkTrouble {
  std::string why;
  std::vector<std::string> lines{};  ///< the last ones that it wrote to its standard error
};

/// What a link tells, on a thread of its own. Must not block for long.
struct LinkEvents {
  std::function<void(ListedTools)> on_tools = [](ListedTools) {};
  /// Each time that there is none, before the next try.
  std::function<void(const LinkTrouble&)> on_trouble = [](const LinkTrouble&) {};
  /// It answers, but cannot say which tools it has. Those it named before stay offered.
  std::function<void(const LinkTrouble&)> on_unlisted = [](const LinkTrouble&) {};
  /// It has been started and has not answered yet: for how long, and what it wrote last.
  std::function<void(const std::string&)> on_starting = [](const std::string&) {};
};

/// The connection to one server, whose calls all go through it. It comes up by itself, and again
/// when it is lost. Thread-safe.
class ServerLink {
 public:
  virtual ~ServerLink() = default;
  /// Carries a call to its end; blocks. Errors: mcp_server_unavailable, mcp_server_died,
  /// mcp_timeout, mcp_protocol_error, mcp_refused, mcp_input_required, cancelled.
  virtual model::ToolResult<mcp::ToolCallResult> call(LinkCall call) = 0;
};

/// What links are made with.
struct LinkOptions {
  ServerConfig server;
  std::shared_ptr<const model::Secrets> secrets;
  mcp::Implementation client;
  LinkEvents events{};
};

// Errors of calls, in one form for both kinds of links.

model::ToolError server_unavailable(const std::string& server, const std::string& why);
model::ToolError server_died(const std::string& server, LinkCall::Again again);
model::ToolError protocol_error(const std::string& server, const std::string& what,
                                LinkCall::Again again);
model::ToolError call_timed_out(const std::string& server, std::chrono::milliseconds after);
model::ToolError call_cancelled();
/// The server answered with a JSON-RPC error.
model::ToolError refused_by(const std::string& server, const mcp::RpcError& error);
/// It wants to know what it may not ask; `asks` empty: it wants the same call again and again.
model::ToolError input_required(const std::string& server, const std::vector<std::string>& asks);
model::ToolError asks_too_much(const std::string& server, const std::string& what);

}  // namespace toolway::tools::executors::mcp_client
