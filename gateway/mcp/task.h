#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/json.h"
#include "gateway/mcp/usual_runs.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"

/// Calls as tasks (2025-11-25, basic/utilities/tasks; from 2026-07-28 on the extension
/// io.modelcontextprotocol/tasks). A task's id is its call's. Pure.
namespace toolway::gateway::mcp {

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

/// What its client is told of a task's times.
struct TaskTimes {
  std::chrono::milliseconds poll = UsualRuns::kUnknown;  ///< how often to look
  /// For how long it is kept at least, from its beginning; nothing: for as long as can be said.
  std::optional<std::chrono::milliseconds> ttl{};
};

/// What is known of a call. With a constructor, as KnownCall has one.
struct TaskFacts {
  explicit TaskFacts(persistence::store::RecordedCall of) : call(std::move(of)) {}
  persistence::store::RecordedCall call;
  std::optional<v1::CallEvent> last{};  ///< of its log, unless it has completed
  /// What its caller is asked about it while it is held.
  std::optional<v1::Question> approval{};
  TaskTimes times{};
};

/// What a `tools/call` says of tasks.
struct TaskWish {
  bool asked = false;     ///< it has `params.task`
  bool declared = false;  ///< its client declares the extension
  bool progress = false;  ///< it wants to see progress
};

/// When its answer is a task.
enum class TaskUse {
  kNever,
  kWhenHeld,  ///< when it waits for approval
  kWhenSlow,  ///< likewise, and when it has not ended after the tool's `inline_ms`
  kAtOnce,
  kAfterQuestions,  ///< at once, unless it asks at once: what it asks is asked before. A held one
                    ///< asks nothing now
};

/// Errors: what a tool does not allow, or needs its client to declare, in the revision's words.
tl::expected<TaskUse, toolway::mcp::RpcError> task_use(const tools::model::Spec& spec,
                                                       toolway::mcp::Revision revision,
                                                       const TaskWish& wish);

/// Why `params.task` is none; nothing: it is one. Pure.
std::optional<std::string> wrong_task_params(const Json& task);

/// What a client has to declare for tasks.
toolway::mcp::RpcError tasks_not_declared();

bool has_ended(const TaskFacts& facts);

/// The keys of what its client may be asked, or asked again: questions without an answer, also
/// between two attempts, since the next one asks no more what waits. Nothing: it cannot be known.
std::optional<std::vector<std::string>> keys_to_ask(const TaskFacts& facts);

/// The task as it is now, in the form of the revision.
Json task_json(const TaskFacts& facts, toolway::mcp::Revision revision);

/// The same with what it asks, its result or its error, as clients of 2026-07-28 get it. `spec`:
/// its tool's. `whole`: as of tool_result.
Json detailed_task(const TaskFacts& facts, const tools::model::Spec& spec,
                   toolway::mcp::Revision revision, std::string_view whole = {});

/// The answer to a `tools/call` that has become a task.
Json created_task(const v1::CallRequest& request, toolway::mcp::Revision revision,
                  const TaskTimes& times);

/// `result` says which task it is of (2025-11-25, "Associating Task-Related Messages").
void relate_to_task(Json& result, const std::string& task_id);

}  // namespace toolway::gateway::mcp
