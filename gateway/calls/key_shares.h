#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

namespace toolway::gateway::calls {

/// How much of the bucket `idempotency` one user may fill.
struct KeyCaps {
  /// MiB of calls with an Idempotency-Key that one gateway notes within 24 hours, once the bucket
  /// is half full; 0: no limit.
  std::uint64_t user_mib = 256;
};

/// How many bytes each user's calls with an Idempotency-Key took in the last 24 hours, to the hour:
/// so long the bucket keeps them, and it refuses all users' when it is full. Counts what this
/// gateway noted. A user takes about 800 bytes, and is forgotten after 24 hours. Pure bookkeeping,
/// on one thread.
class KeyShares {
 public:
  /// `bucket_used`: the part of the bucket that is in use, as far as known.
  KeyShares(KeyCaps caps, std::function<double()> bucket_used)
      : caps_(caps), bucket_used_(std::move(bucket_used)) {}

  /// Why this user's call may not be noted; nothing: it may, and counts from now on. Code:
  /// too_many_calls.
  std::optional<Error> note(const std::string& user, std::size_t bytes, MonotonicTime now);
  std::size_t users() const { return users_.size(); }

 private:
  struct Hour {
    std::int64_t hour = 0;
    std::uint64_t bytes = 0;
  };
  struct User {
    std::deque<Hour> hours;  ///< oldest first, of the last 24 hours
    std::uint64_t bytes = 0;
  };
  static void forget_before(User& user, std::int64_t hour);

  const KeyCaps caps_;
  const std::function<double()> bucket_used_;
  std::unordered_map<std::string, User> users_;
  std::int64_t swept_ = 0;  ///< the hour in which users were forgotten last
};

}  // namespace toolway::gateway::calls
