#pragma once

#include <algorithm>
#include <chrono>

#include "base/back_off.h"

namespace toolway::tools::executors::mcp_client {

/// When to start a server again that has ended or could not be reached: at once the first time,
/// then after a delay that doubles. One that had answered for a second starts over.
class RestartBackOff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr std::chrono::seconds kProven{1};
  static constexpr unsigned kHopeless = 3;
  static constexpr std::chrono::seconds kHopelessAfter{3};
  using Time = std::chrono::steady_clock::time_point;

  RestartBackOff(Milliseconds first, Milliseconds longest) : first_(first), longest_(longest) {}

  /// It was given all the time that a start may take, and said nothing of use: call it after
  /// `ended`. Then no call waits as long again.
  void ran_out_of_time() { ran_out_ = true; }
  /// It has ended, after it had answered for that long; zero: it never did.
  Milliseconds ended(std::chrono::steady_clock::duration answered, Time now) {
    ran_out_ = false;
    failures_ = answered >= kProven ? 1 : std::min(failures_ + 1, 30U);
    if (failures_ == 1) since_ = now;
    last_ = now;
    if (failures_ == 1) return Milliseconds(0);
    return doubled(first_, failures_ - 2, longest_);
  }
  /// Waiting for the next start is not worth it: report at once what is wrong.
  bool hopeless() const {
    return ran_out_ || (failures_ >= kHopeless && last_ - since_ >= kHopelessAfter);
  }
  /// It answers; what it did before counts again only if it ends at once.
  void answered() {
    ran_out_ = false;
    failures_ = std::min(failures_, kHopeless - 1);
  }

 private:
  const Milliseconds first_;
  const Milliseconds longest_;
  unsigned failures_ = 0;
  bool ran_out_ = false;
  Time since_{};  ///< the first of them
  Time last_{};
};

}  // namespace toolway::tools::executors::mcp_client
