#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"

namespace toolway {

/// How long a server that was asked has left every question unanswered. Time is passed in; for
/// one thread, or under its owner's lock.
class Silence {
 public:
  /// A question is asked now.
  void asked(MonotonicTime now) {
    if (!since_) since_ = now;
  }
  /// It has answered a question, whatever it said.
  void heard() {
    since_.reset();
    ever_heard_ = true;
  }
  bool ever_heard() const { return ever_heard_; }
  /// Zero while no question waits.
  std::chrono::nanoseconds length(MonotonicTime now) const {
    return since_ && now > *since_ ? now - *since_ : std::chrono::nanoseconds(0);
  }

 private:
  std::optional<MonotonicTime> since_;
  bool ever_heard_ = false;
};

}  // namespace toolway
