#pragma once

#include <string>

#include "gateway/mcp/mcp_context.h"

namespace toolway::gateway::mcp {

/// The tasks of a session: its calls, whatever face they came through. On the io_context's thread;
/// `context` must outlive it.
struct SessionTasks {
  const McpContext& context;
  ReadTask read;
  ReadResult read_result{};  ///< for `detailed`
  wire::Caller caller;
  std::string session_key;
  bool asks_forms = false;  ///< its client has declared that it fills them in

  /// Errors: unknown_call, also for another session's or user's, and the bus's and the store's.
  loop::Task<wire::HttpResult<TaskFacts>> find(std::string id) const;
  /// Null: there is none any more.
  tools::model::RegisteredToolPtr tool_of(const TaskFacts& facts) const;
  /// As clients of 2026-07-28 get it. `room` becomes that of a large result in it.
  loop::Task<Json> detailed(const TaskFacts& facts, wire::MemoryBudget::Share& room) const;
};

}  // namespace toolway::gateway::mcp
