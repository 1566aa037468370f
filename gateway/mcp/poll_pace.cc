#include "gateway/mcp/poll_pace.h"

#include <algorithm>

namespace toolway::gateway::mcp {

std::chrono::milliseconds PollPace::wait_of(const std::string& task_id, MonotonicTime now) {
  const auto known = free_at_.find(task_id);
  if (known == free_at_.end()) {
    if (free_at_.size() >= kMaxTasks && now - swept_ >= kPollInterval) {
      swept_ = now;
      std::erase_if(free_at_, [now](const auto& task) { return task.second <= now; });
    }
    if (free_at_.size() < kMaxTasks) free_at_.emplace(task_id, now + kPollInterval);
    return std::chrono::milliseconds(0);
  }
  const auto at = std::clamp(known->second, now, now + kMaxWait);
  known->second = at + kPollInterval;
  return std::chrono::ceil<std::chrono::milliseconds>(at - now);
}

}  // namespace toolway::gateway::mcp
