#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "extensions/limits/bucket.h"

namespace toolway::extensions::limits {

/// The tokens of one bucket that one gateway has in hand. It takes from the bucket what is asked of
/// it at the time, and of a fast limit what it expects to be asked for in the next 50 ms, so that
/// not every call takes a question to the bus. Tokens in hand expire after 100 ms. An empty bucket
/// is not asked again before it has a token. Pure: handed the time. For one thread.
class Lease {
 public:
  static constexpr std::chrono::milliseconds kHeld{100};

  enum class Answer {
    kTaken,  ///< a token in hand was taken
    kEmpty,  ///< there is none, until `wait` has passed
    kAsk,    ///< the bucket must be asked: for `wanted`, and what comes of it told by `got`
  };

  explicit Lease(const Rate& rate) : rate_(rate) {}

  /// One call has come. Once: what asks again after kAsk says so with `take`.
  void arrives(MonotonicTime now);
  Answer take(MonotonicTime now);
  /// Whether what is in hand is not enough for `waiting` calls, and the bucket may have more.
  bool must_ask(std::uint32_t waiting, MonotonicTime now) const;
  /// How many tokens to take from the bucket when `waiting` calls wait for the answer.
  std::uint32_t wanted(std::uint32_t waiting) const;
  void got(const Taken& taken, std::uint32_t wanted, Moment wall, MonotonicTime now);

  std::chrono::nanoseconds wait(MonotonicTime now) const { return empty_until_ - now; }
  MonotonicTime last_used() const { return last_used_; }
  const Rate& rate() const { return rate_; }
  /// A policy has set another rate: what is in hand stays.
  void set_rate(const Rate& rate) { rate_ = rate; }

 private:
  Rate rate_;
  std::uint32_t in_hand_ = 0;
  MonotonicTime in_hand_until_{};
  MonotonicTime empty_until_{};
  MonotonicTime last_used_{};
  MonotonicTime window_{};  ///< the beginning of the 50 ms in which `arrived_` came
  std::uint32_t arrived_ = 0;
  std::uint32_t arrived_before_ = 0;  ///< in the 50 ms before
};

}  // namespace toolway::extensions::limits
