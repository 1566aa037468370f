#include "tools/executors/mcp_client/running_calls.h"

namespace toolway::tools::executors::mcp_client {

RunningCalls::Entry::Entry(RunningCalls& of, const LinkCall& call) : of_(of), call_(call) {
  const MutexLock lock(of_.mutex_);
  of_.calls_.push_back(&call_);
}

RunningCalls::Entry::~Entry() {
  const MutexLock lock(of_.mutex_);
  std::erase(of_.calls_, &call_);
}

void RunningCalls::gave_up(std::uint64_t session) {
  const MutexLock lock(mutex_);
  given_up_in_ = session;
}

bool RunningCalls::with_only(std::uint64_t session,
                             const std::function<void(const LinkCall&)>& take) {
  const MutexLock lock(mutex_);
  if (calls_.size() != 1 || given_up_in_ == session) return false;
  take(*calls_.front());
  return true;
}

}  // namespace toolway::tools::executors::mcp_client
