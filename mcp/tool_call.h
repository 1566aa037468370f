#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trace_context.h"
#include "mcp/client_capabilities.h"
#include "mcp/content.h"
#include "mcp/message.h"
#include "mcp/revision.h"

namespace toolway::mcp {

/// What to call a tool with.
struct ToolCall {
  std::string name;
  Json arguments = Json::object();
  /// The server's own, from a result that asked for another try (2026-07-28, basic/patterns/mrtr).
  std::optional<std::string> request_state{};
  /// Likewise, the answers to what it asked, by its keys; null: it asked nothing.
  Json input_responses{};
  /// What it may ask; travels where each request says it.
  ClientCapabilities askable{};
  /// Travels as `_meta.traceparent` and `_meta.tracestate`, the two names that need no prefix
  /// (2026-07-28, basic/index, "_meta"; SEP-414). Of no trace: neither.
  TraceContext trace{};
};

/// How a tool ended.
struct ToolCallResult {
  std::vector<ContentBlock> content;
  std::optional<Json> structured;  ///< any JSON value, null included
  bool is_error = false;           ///< the tool failed, and `content` says how
};

/// One thing that a server wants to know.
struct InputRequest {
  std::string key;     ///< the server's own
  std::string method;  ///< `elicitation/create`, …; empty: it names none
  Json params;         ///< an object
};

/// Not a result yet: the server wants to know something first, or to be asked again.
struct InputRequired {
  std::vector<InputRequest> asks;
  std::optional<std::string> request_state;
};

/// Errors: kInvalidRequest, naming what is wrong; an unknown `resultType` is wrong
/// (2026-07-28, basic/index, "ResultType").
Result<std::variant<ToolCallResult, InputRequired>> decode_tool_call(const Json& result,
                                                                     Revision revision);

/// `notifications/progress`.
struct ProgressNotification {
  RequestId token;
  double progress = 0;
  double total = 0;  ///< 0: not said
  std::string message;
};

/// Nothing: it cannot be used (no token, no number).
std::optional<ProgressNotification> decode_progress(const Json& params);

}  // namespace toolway::mcp
