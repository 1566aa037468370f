#include "gateway/loop/delay_watch.h"

#include <algorithm>
#include <utility>

namespace toolway::gateway::loop {
namespace {

constexpr std::chrono::milliseconds kBusyInterval{20};
constexpr std::chrono::milliseconds kIdleInterval{250};
constexpr std::uint64_t kIdleTurnsPerSecond = 200;
constexpr std::chrono::seconds kWindow{30};

}  // namespace

std::chrono::milliseconds next_look(std::uint64_t turns, std::chrono::milliseconds interval) {
  const auto milliseconds = static_cast<std::uint64_t>(interval.count());
  return turns * 1000 < kIdleTurnsPerSecond * milliseconds ? kIdleInterval : kBusyInterval;
}

Task<void> DelayWatch::run() {
  auto interval = kBusyInterval;
  std::chrono::nanoseconds longest{};
  MonotonicTime now = clock_.monotonic();
  MonotonicTime since = now;
  while (!ended_) {
    const auto turns_before = turns_;
    timer_.expires_after(interval);
    co_await wait_on(timer_);
    const MonotonicTime due = std::exchange(now, clock_.monotonic()) + interval;
    longest = std::max(longest, now - due);
    if (now - since >= kWindow) {
      since = now;
      longest = now - due;
    }
    gauge_.set(std::chrono::duration<double>(longest).count());
    interval = next_look(turns_ - turns_before, interval);
  }
}

void DelayWatch::end() {
  ended_ = true;
  timer_.cancel();
}

}  // namespace toolway::gateway::loop
