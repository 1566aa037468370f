#include "monitoring/turn_watch.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>

#include "monitoring/metric_names.h"

namespace toolway::monitoring {

TurnWatch::TurnWatch(Metrics& metrics, const Clock& clock, unsigned loop)
    : clock_(clock),
      gauge_(metrics.gauge(kLongestTurn, "loop", std::to_string(loop))),
      long_turns_(metrics.counter(kLongTurns)) {}

void TurnWatch::look(MonotonicTime now, std::chrono::nanoseconds cpu) {
  const auto used = cpu - std::exchange(cpu_, cpu);
  looked_ = now;
  if (used > kLongTurn) long_turns_.add();
  if (now - window_ >= kWindow) {
    longest_before_ = now - window_ < 2 * kWindow ? longest_ : std::chrono::nanoseconds();
    longest_ = {};
    window_ = now;
  } else if (used <= longest_) {
    return;
  }
  longest_ = std::max(longest_, used);
  gauge_.set(std::chrono::duration<double>(std::max(longest_, longest_before_)).count());
}

std::chrono::nanoseconds TurnWatch::cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace toolway::monitoring
