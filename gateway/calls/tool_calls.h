#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/wire/request_body.h"
#include "gateway/wire/target.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/exports/model_message.h"
#include "tools/exports/model_results.h"

/// What POST …/tool_calls reads and writes: no socket, no bus.
namespace toolway::gateway::calls {

/// The longest that a request waits for the results of a model's message.
inline constexpr std::chrono::milliseconds kMaxInlineWait{300'000};

/// Whose messages they are; nothing: Toolway's own form, which is of no API.
using MessageApi = std::optional<tools::exports::ModelApi>;

struct ToolCallsQuery {
  MessageApi api{};
  std::optional<std::chrono::milliseconds> inline_wait{};  ///< instead of each spec's own
  bool start = true;  ///< false: calls that were not made are given up, and only of Toolway's form
};

/// Reads ?format= (required), ?inline_ms= (0 to 300000) and ?start=false. Errors: invalid_request.
wire::HttpResult<ToolCallsQuery> parse_tool_calls_query(const wire::Target& target);

/// Reads the body. Errors: invalid_request.
wire::HttpResult<std::vector<tools::exports::ModelCall>> parse_tool_calls(
    wire::ParsedBody body, MessageApi api, std::size_t max_arguments_bytes);

/// One call of the message when it is answered.
struct AnsweredCall {
  std::string tool_call_id;
  std::string tool;  ///< qualified, or as the model wrote it
  bool custom = false;
  v1::CallRequest request{};  ///< of one that was planned
  std::optional<v1::CallEvent> completion{};
  std::optional<wire::Problem> refused{};
  bool never_started = false;  ///< it was not made, and never will be
};

/// What the model is told of it: of a completed call its result, or a preview and where the whole
/// is, or its error; of one that is still running, the ACK.
tools::exports::ModelResult result_of(const AnsweredCall& call);

/// `{"messages": […], "calls": […]}`; of no API `{"results": […]}`. On any thread.
std::string tool_calls_json(MessageApi api, const std::vector<AnsweredCall>& calls,
                            std::string_view request_id);

/// The cost of writing that, in bytes of copied text: results are read, indented, and become text
/// inside text.
std::size_t writing_cost(const std::vector<AnsweredCall>& calls);

}  // namespace toolway::gateway::calls
