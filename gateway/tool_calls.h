#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/target.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/exports/model_message.h"
#include "tools/exports/model_results.h"

/// What POST …/tool_calls reads and writes: no socket, no bus.
namespace toolway::gateway {

/// The longest that a request waits for the results of a model's message.
inline constexpr std::chrono::milliseconds kLongestInline{300'000};

struct ToolCallsAsked {
  tools::ModelApi api = tools::ModelApi::kOpenAi;
  std::optional<std::chrono::milliseconds> inline_wait{};  ///< instead of each spec's own
};

/// Reads ?format= (required) and ?inline_ms= (0 to 300000). Errors: invalid_request.
Answer<ToolCallsAsked> parse_tool_calls_query(const Target& target);

/// Reads the body. Errors: malformed_json, invalid_request.
Answer<std::vector<tools::ModelCall>> parse_tool_calls(std::string_view body, tools::ModelApi api,
                                                       std::size_t max_arguments_bytes);

/// How one call of the message stands when it is answered.
struct ToolCallState {
  tools::ModelResult result;
  std::string call_id;                  ///< empty: not accepted
  std::string tool;                     ///< qualified, or as the model wrote it
  std::optional<v1::Outcome> outcome{};  ///< of a completed one
  std::optional<Problem> refused{};
};

/// What the model is told of a completed call: its result, or a preview and where the whole
/// is, or its error.
tools::ModelResult completed_result(std::string tool_call_id, const std::string& call_id,
                                    const v1::Completed& completed);
/// The ACK, as the result of a call that goes on.
tools::ModelResult detached_result(std::string tool_call_id, const v1::CallRequest& request);
tools::ModelResult refused_result(std::string tool_call_id, const Problem& problem);

/// `{"messages": […], "calls": […]}`
std::string tool_calls_json(tools::ModelApi api, const std::vector<ToolCallState>& calls,
                            std::string_view request_id);

}  // namespace toolway::gateway
