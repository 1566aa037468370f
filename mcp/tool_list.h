#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "mcp/message.h"

namespace toolway::mcp {

/// What a server says of its tool's behaviour: hints that only a trusted server's count
/// (every revision, server/tools, "Tool").
struct ToolAnnotations {
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
};

/// Whether a tool can be called without a task (2025-11-25, basic/utilities/tasks).
enum class TaskSupport { kForbidden, kOptional, kRequired };

/// A tool as a server describes it. Nothing is checked yet but its types.
struct ToolDefinition {
  std::string name;
  std::string title;
  std::string description;
  OrderedJson input_schema;
  OrderedJson output_schema;  ///< null: none
  ToolAnnotations annotations;
  TaskSupport tasks = TaskSupport::kForbidden;
};

/// One page of `tools/list`.
struct ToolPage {
  std::vector<ToolDefinition> tools;
  std::vector<std::string> refused;  ///< what is not a tool, and why: its type, a missing name
  std::optional<std::string> next_cursor;  ///< nothing: the last page; may be empty
};

/// The page in the text of an answer that `decode_message` has read. Schemas keep the order of
/// their keys, unless one of its objects is so wide that this would be slow. Errors:
/// kInvalidRequest.
Result<ToolPage> decode_tool_page(std::string_view answer);

}  // namespace toolway::mcp
