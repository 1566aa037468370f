#pragma once

#include <algorithm>
#include <chrono>

namespace toolway {

/// `first` doubled `times` times, at most `longest`.
inline std::chrono::milliseconds doubled(std::chrono::milliseconds first, unsigned times,
                                         std::chrono::milliseconds longest) {
  return std::min<std::chrono::milliseconds>(first * (1LL << std::min(times, 30U)), longest);
}

/// How long to wait after a failure: twice as long with each one in a row. Pure; not thread-safe.
class BackOff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  BackOff(Milliseconds first, Milliseconds longest) : first_(first), longest_(longest) {}

  /// One more failure: returns the delay after it.
  Milliseconds failed() {
    delay_ = std::min(std::max(2 * delay_, first_), longest_);
    return delay_;
  }
  void succeeded() { delay_ = Milliseconds(0); }
  /// After the last failure; zero: none since the last success.
  Milliseconds delay() const { return delay_; }

 private:
  Milliseconds first_;
  Milliseconds longest_;
  Milliseconds delay_{0};
};

}  // namespace toolway
