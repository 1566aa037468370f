#pragma once

#include "base/clock.h"
#include "workers/call/step.h"

namespace toolway::workers::call {

/// When a call wants to be looked at next. A time after one that is set is not ordered: that look
/// sets it again if need be. Pure; not thread-safe.
class Alarm {
 public:
  void set(MonotonicTime at, Step& step) {
    if (at >= at_) return;
    at_ = at;
    step.orders.wake_at = at;
  }
  /// False: an earlier look replaced this one.
  bool rings(MonotonicTime now) {
    if (now < at_) return false;
    at_ = MonotonicTime::max();
    return true;
  }

 private:
  MonotonicTime at_ = MonotonicTime::max();
};

}  // namespace toolway::workers::call
