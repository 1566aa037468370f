#include "extensions/limits/lease.h"

#include <algorithm>

namespace toolway::extensions::limits {
namespace {

constexpr std::chrono::milliseconds kWindow{50};
/// An empty bucket is left alone for so long, or for a quarter of what it takes to fill.
constexpr std::chrono::milliseconds kPause{20};

}  // namespace

void Lease::arrives(MonotonicTime now) {
  last_used_ = now;
  if (now - window_ >= kWindow) {
    arrived_before_ = now - window_ < 2 * kWindow ? arrived_ : 0;
    arrived_ = 0;
    window_ = now;
  }
  ++arrived_;
}

Lease::Answer Lease::take(MonotonicTime now) {
  if (in_hand_ > 0 && now < in_hand_until_) {
    --in_hand_;
    return Answer::kTaken;
  }
  in_hand_ = 0;
  return now < empty_until_ ? Answer::kEmpty : Answer::kAsk;
}

bool Lease::must_ask(std::uint32_t waiting, MonotonicTime now) const {
  const bool enough = in_hand_ >= waiting && now < in_hand_until_;
  return !enough && now >= empty_until_;
}

std::uint32_t Lease::wanted(std::uint32_t waiting) const {
  // Of a limit below 20/s nothing: there each call takes its own.
  const auto of_rate = static_cast<std::uint32_t>(
      std::min<std::int64_t>(rate_.burst, std::chrono::nanoseconds(kWindow) / rate_.interval));
  const std::uint32_t expected = std::min(std::max(arrived_, arrived_before_), of_rate);
  return std::max(waiting, expected);
}

void Lease::got(const Taken& taken, std::uint32_t wanted, Moment wall, MonotonicTime now) {
  in_hand_ += taken.tokens;
  in_hand_until_ = now + kHeld;
  if (taken.tokens >= wanted) return;
  // Of a fast limit some tokens come together by then, and the bucket is far from full.
  const auto pause = std::min<std::chrono::nanoseconds>(kPause, rate_.refill() / 4);
  const auto next = std::chrono::ceil<std::chrono::nanoseconds>(taken.next_at - wall);
  empty_until_ = now + std::max(next, pause);
}

}  // namespace toolway::extensions::limits
