#include "workers/log/deadlines.h"

#include <algorithm>

namespace toolway::workers::log {

std::string_view limit_name(LimitKind kind) {
  switch (kind) {
    case LimitKind::kQueue: return "queue";
    case LimitKind::kRun: return "run";
    case LimitKind::kTotal: return "total";
    case LimitKind::kHeartbeat: return "heartbeat";
  }
  return "unknown";
}

Deadlines::Deadlines(const v1::Limits& limits, WallTime submitted_at, WallTime wall,
                     MonotonicTime now)
    : queue_(limits.queue_ms()),
      run_(limits.run_ms()),
      total_(limits.total_ms()),
      heartbeat_(limits.heartbeat_ms()) {
  const auto waited = wall - submitted_at;
  if (queue_.count() > 0) queue_at_ = now + (queue_ - waited);
  if (total_.count() > 0) total_at_ = now + (total_ - waited);
}

void Deadlines::started(MonotonicTime now) {
  queue_at_ = MonotonicTime::max();
  if (run_.count() > 0) run_at_ = now + run_;
  progressed(now);
}

void Deadlines::waits(MonotonicTime now) {
  if (++waits_ > 1) return;
  run_left_ = run_at_ - now;
  run_at_ = heartbeat_at_ = MonotonicTime::max();
}

void Deadlines::waited(MonotonicTime now) {
  if (--waits_ > 0) return;
  if (run_.count() > 0) run_at_ = now + run_left_;
  progressed(now);
}

void Deadlines::progressed(MonotonicTime now) {
  if (heartbeat_.count() > 0 && waits_ == 0) heartbeat_at_ = now + heartbeat_;
}

std::optional<LimitKind> Deadlines::exceeded(MonotonicTime now) const {
  if (now >= queue_at_) return LimitKind::kQueue;
  if (now >= total_at_) return LimitKind::kTotal;
  if (now >= run_at_) return LimitKind::kRun;
  if (now >= heartbeat_at_) return LimitKind::kHeartbeat;
  return std::nullopt;
}

MonotonicTime Deadlines::next() const {
  return std::min({queue_at_, total_at_, run_at_, heartbeat_at_});
}

std::chrono::milliseconds Deadlines::allowed(LimitKind kind) const {
  switch (kind) {
    case LimitKind::kQueue: return queue_;
    case LimitKind::kRun: return run_;
    case LimitKind::kTotal: return total_;
    case LimitKind::kHeartbeat: return heartbeat_;
  }
  return {};
}

}  // namespace toolway::workers::log
