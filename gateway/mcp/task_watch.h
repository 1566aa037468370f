#pragma once

#include <string>
#include <vector>

#include "gateway/mcp/mcp_context.h"

namespace toolway::gateway::mcp {

/// Some tasks of a session that a client wants to hear of. On the io_context's thread; `context`
/// must outlive it.
class TaskWatch {
 public:
  /// The most that a client hears of on one stream.
  static constexpr std::size_t kMaxTasks = 32;

  TaskWatch(const McpContext& context, ReadTask read, wire::Caller caller, std::string session_key);

  /// Watches those of these that there are: their ids, each once. No more than the first
  /// `kMaxTasks` different ones are looked for, whether there are such tasks or not.
  loop::Task<std::vector<std::string>> begin(std::vector<std::string> ids);
  /// Those that have changed since they were last shown, as clients of 2026-07-28 see them; at
  /// first all. One that has ended is shown once.
  loop::Task<std::vector<Json>> changed();

 private:
  struct Task {
    std::string id;
    std::string shown;  ///< its text
    bool ended = false;
  };
  loop::Task<wire::HttpResult<TaskFacts>> find(std::string id);

  const McpContext& context_;
  const ReadTask read_;
  const wire::Caller caller_;
  const std::string session_key_;
  std::vector<Task> tasks_;
};

}  // namespace toolway::gateway::mcp
