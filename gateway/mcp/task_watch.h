#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gateway/mcp/session_tasks.h"

namespace toolway::gateway::mcp {

/// Some tasks of a session that a client wants to hear of. On the io_context's thread.
class TaskWatch {
 public:
  /// The most that a client hears of on one stream.
  static constexpr std::size_t kMaxTasks = 32;
  /// The most that are watched here at once. Each is read once a second.
  static constexpr wire::UserPlaces::Caps kPlaces{.most = 4'000, .per_user = 500};

  explicit TaskWatch(SessionTasks of) : of_(std::move(of)) {}

  /// Watches those of these that there are: their ids, each once. No more than the first
  /// `kMaxTasks` different ones are looked for, whether there are such tasks or not, and none when
  /// its user watches as many as one may.
  loop::Task<std::vector<std::string>> begin(std::vector<std::string> ids);
  /// Those that have changed since they were last shown, as clients of 2026-07-28 see them; at
  /// first all. One that has ended is shown once.
  loop::Task<std::vector<Json>> changed();

 private:
  struct Task {
    std::string id;
    std::string shown;  ///< its text
    bool ended = false;
    wire::UserPlaces::Place place;  ///< until it has ended
  };

  const SessionTasks of_;
  std::vector<Task> tasks_;
};

}  // namespace toolway::gateway::mcp
