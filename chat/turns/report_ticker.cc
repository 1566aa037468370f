#include "chat/turns/report_ticker.h"

#include <utility>

#include "base/pause.h"

namespace toolway::chat::turns {

MonotonicTime tick_before(MonotonicTime at) {
  return MonotonicTime(at.time_since_epoch() / ReportTicker::kTick * ReportTicker::kTick);
}

ReportTicker::ReportTicker(const Clock& clock, Beat beat) : clock_(clock) {
  if (beat == Beat::kOnItsThread)
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ReportTicker::hold(const void* turn, MonotonicTime due, std::function<void()> send) {
  {
    const MutexLock lock(mutex_);
    held_.try_emplace(turn, Waiting{due, std::move(send)});
  }
  came_.notify_one();
}

void ReportTicker::release(const void* turn) {
  const MutexLock lock(mutex_);
  held_.erase(turn);
}

void ReportTicker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      if (!came_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !held_.empty(); })) return;
    }
    const auto now = clock_.monotonic();
    const auto next = tick_before(now) + kTick;
    if (!pause(std::chrono::ceil<std::chrono::microseconds>(next - now), stop)) return;
    send_due(clock_.monotonic());
  }
}

void ReportTicker::send_due(MonotonicTime now) {
  const MutexLock lock(mutex_);
  for (auto one = held_.begin(); one != held_.end();) {
    if (now < one->second.due) {
      ++one;
      continue;
    }
    one->second.send();
    one = held_.erase(one);
  }
}

}  // namespace toolway::chat::turns
