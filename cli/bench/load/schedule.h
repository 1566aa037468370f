#pragma once

#include <cstdint>
#include <vector>

#include "cli/bench/scenario/scenario.h"

namespace toolway::cli::bench::load {

/// When the requests of a group are due: the warm-up at the first stage's pace, then its stages.
/// Pure.
class Schedule {
 public:
  Schedule(const scenario::LoadGroup& group, double warm_up);

  /// The time of request `number` (from 0) of an open loop, in seconds from the beginning; beyond
  /// the end: negative.
  double due(std::uint64_t number) const;
  /// Requests of a closed loop at once, `t` seconds from the beginning; 0 beyond the end.
  unsigned at_once(double t) const;
  /// Continues at the last stage's pace until `t` at least.
  void last_until(double t);
  double seconds() const { return seconds_; }
  /// The most at once, at any time.
  unsigned most_at_once() const;

 private:
  struct Part {
    double begin = 0;  ///< seconds
    double seconds = 0;
    double from = 0;  ///< requests/s, or requests at once
    double to = 0;
    double before = 0;  ///< requests due before it
    double requests() const { return seconds * (from + to) / 2; }
  };
  std::vector<Part> parts_;
  double seconds_ = 0;
};

}  // namespace toolway::cli::bench::load
