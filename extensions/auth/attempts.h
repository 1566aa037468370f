#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/clock.h"
#include "base/token_bucket.h"

namespace toolway::extensions::auth {

/// How many tokens from one address are checked: those at once, and wrong ones in a second. So
/// wrong signatures cannot hold up others'. Pure bookkeeping, on one thread.
class Attempts {
 public:
  static constexpr TokenBucket::Rate kWrong{.burst = 40, .per_second = 10};
  static constexpr unsigned kAtOnce = 32;
  /// Addresses that are remembered; about 100 bytes each.
  static constexpr std::size_t kMaxAddresses = 50'000;

  enum class Turn {
    kBegun,    ///< it is checked now: tell how it ended with `ended`
    kWaits,    ///< others of that address are being checked: ask again
    kRefused,  ///< too many from there were wrong
  };
  Turn begin(std::uint64_t address, MonotonicTime now);
  enum class End { kRight, kWrong };
  void ended(std::uint64_t address, End end, MonotonicTime now);
  std::size_t addresses() const { return by_address_.size(); }

 private:
  struct Address {
    unsigned checking = 0;
    TokenBucket wrong{kWrong};
  };
  void forget_calm(MonotonicTime now);

  std::unordered_map<std::uint64_t, Address> by_address_;
};

}  // namespace toolway::extensions::auth
