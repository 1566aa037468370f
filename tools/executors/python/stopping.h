#pragma once

#include <chrono>
#include <optional>

namespace toolway::tools::executors::python {

/// How a tool that was cancelled is brought to an end: asked, interrupted,
/// terminated, killed, all within less than a worker's cancel grace of 2 s. Pure.
class Stopping {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kInterrupt{300};
  static constexpr std::chrono::milliseconds kTerminate{900};
  static constexpr std::chrono::milliseconds kKill{1200};
  static constexpr std::chrono::milliseconds kRepeatDelay{
      50};  ///< it may not have heard, or not obeyed

  enum class Step { kNone, kAsk, kInterrupt, kTerminate, kKill };

  /// What to do now, each at its time; the clock starts with the first question.
  Step next(Time now) {
    if (!since_) since_ = again_ = now;
    const auto passed = now - *since_;
    if (passed >= kKill) return Step::kKill;
    if (now < again_) return Step::kNone;
    again_ = now + kRepeatDelay;
    if (passed >= kTerminate) return Step::kTerminate;
    return passed >= kInterrupt ? Step::kInterrupt : Step::kAsk;
  }

  /// Milliseconds until the next step, as poll takes them.
  int patience(Time now) const {
    if (!since_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(again_ - now);
    return left.count() < 0 ? 0 : static_cast<int>(left.count());
  }

 private:
  std::optional<Time> since_;
  Time again_{};
};

}  // namespace toolway::tools::executors::python
