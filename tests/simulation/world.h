#pragma once

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "tests/simulation/random.h"

namespace toolway::simulation {

/// Whether what happens is written down; the same schedule runs either way.
enum class Trace { kOff, kOn };

/// Virtual time and what will happen in it. One thread; everything that may
/// happen is an event here, and the seed alone decides when, and so in what order.
class World {
 public:
  World(std::uint64_t seed, Trace trace) : random_(seed), tracing_(trace == Trace::kOn) {}

  Random& random() { return random_; }
  Micros now() const { return now_; }
  std::uint64_t steps() const { return steps_; }

  void after(Micros delay, std::function<void()> what);
  /// Does what comes next, unless it comes after `until`. False: nothing was left to do before.
  bool step(Micros until);

  /// A line of the trace.
  template <typename... A>
  void note(fmt::format_string<A...> format, A&&... arguments) {
    if (tracing_) write(fmt::format(format, std::forward<A>(arguments)...));
  }
  const std::vector<std::string>& trace() const { return trace_; }

  /// What must not happen. The first ones are kept.
  template <typename... A>
  void violation(fmt::format_string<A...> format, A&&... arguments) {
    report(fmt::format(format, std::forward<A>(arguments)...));
  }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Event {
    Micros at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void write(std::string line);
  void report(std::string what);

  Random random_;
  const bool tracing_;
  Micros now_{0};
  std::uint64_t order_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<Event> events_;  ///< a heap, the next one first
  std::vector<std::string> trace_;
  std::vector<std::string> violations_;
};

/// The clocks of one machine: the wall's may be wrong, and jump; the monotonic one
/// began at some other time.
class NodeClock final : public Clock {
 public:
  NodeClock(const World& world, Micros skew, Micros since_boot)
      : world_(world), skew_(skew), since_boot_(since_boot) {}

  WallTime wall() const override { return from_unix_us(kEpochUs) + world_.now() + skew_; }
  MonotonicTime monotonic() const override {
    return MonotonicTime(
        std::chrono::duration_cast<MonotonicTime::duration>(since_boot_ + world_.now()));
  }
  /// When an instant of this machine's monotonic clock is in the world's time.
  Micros world_time(MonotonicTime at) const {
    return std::chrono::ceil<Micros>(at.time_since_epoch()) - since_boot_;
  }
  void set_skew(Micros skew) { skew_ = skew; }

  static constexpr std::int64_t kEpochUs = 1'767'225'600'000'000;  // 2026-01-01

 private:
  const World& world_;
  Micros skew_;
  const Micros since_boot_;
};

/// What the server's clock says: never wrong here, since it is what others are compared to.
inline WallTime server_time(const World& world) {
  return from_unix_us(NodeClock::kEpochUs) + world.now();
}

}  // namespace toolway::simulation
