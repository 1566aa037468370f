#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/exports/model_message.h"
#include "tools/exports/model_results.h"
#include "tools/model/registry.h"

namespace toolway::tools::exports {

/// In whose name a message's calls are run, and how far.
struct ProcessOptions {
  std::vector<std::string> namespaces{};  ///< whose tools may be called; none: all
  std::string session = "local";
  std::string user = "local";
  std::map<std::string, std::string, std::less<>> secrets{};
  std::stop_source stop{};  ///< request_stop() cancels the calls
  ModelMessageBounds bounds{};
  /// Gets what a multi-step tool reports, and for which call; on the tool's thread.
  std::function<void(const std::string& tool_call_id, model::ProgressReport report)> progress{};
};

/// The one result of one call.
struct ToolCallResult {
  std::string tool_call_id;
  Json json;  ///< what the tool returned, or the string `tool_error: <message>`
  bool is_error = false;
  bool custom = false;  ///< see ModelCall
  /// What the tool added to its result besides, if it succeeded (docs/results.md).
  std::vector<model::ContentBlock> content{};
};

/// Runs the calls of a model's message in this process, one after the other, without any
/// server: exactly one result per call id, in the message's order. Blocks until all are done;
/// multi-step tools are waited for. Errors: kInvalidRequest, as `parse_model_message`.
Result<std::vector<ToolCallResult>> process_tool_calls(const model::Registry& registry,
                                                       Json message, ModelApi api,
                                                       const ProcessOptions& options = {});

/// What follows the message in the next request.
OrderedJson messages_to_append(ModelApi api, const std::vector<ToolCallResult>& results);

}  // namespace toolway::tools::exports
