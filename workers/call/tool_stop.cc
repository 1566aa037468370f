#include "workers/call/tool_stop.h"

namespace toolway::workers::call {

v1::Stop ToolStop::how() const {
  if (running_) return v1::STOP_ABANDONED;
  return forced_ ? v1::STOP_SIGNALLED : v1::STOP_COOPERATIVE;
}

bool ToolStop::ask(Why why, MonotonicTime now) {
  if (!running_ || why_ != Why::kNo) return false;
  why_ = why;
  grace_until_ = now + grace_;
  return true;
}

bool ToolStop::abandon_thread() {
  if (!running_ || thread_abandoned_) return false;
  thread_abandoned_ = true;
  return true;
}

bool ToolStop::leave_thread(MonotonicTime now) {
  if (!abandon_thread()) return false;
  grace_until_ = now + grace_;
  return true;
}

bool ToolStop::grace_passed() {
  grace_until_ = MonotonicTime::max();
  hanging_ = hanging_ || running_;
  return running_;
}

}  // namespace toolway::workers::call
