#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "extensions/limit.h"

namespace toolway::extensions::limits {

using Moment = std::chrono::sys_time<std::chrono::nanoseconds>;

/// A bucket of tokens, as all gateways share it: it is full from `full_at` on, unless tokens are
/// taken before. The epoch: it was never used.
struct Bucket {
  Moment full_at{};
};

/// What was taken from a bucket.
struct Taken {
  std::uint32_t tokens = 0;  ///< at most what was wanted
  Bucket left{};
  Moment next_at{};  ///< when there is a token; not after `now` when there still is one
};

/// Takes up to `wanted` tokens. What was written under another rate, or by a clock that is ahead,
/// counts as an empty bucket at most. Pure.
Taken take(Bucket bucket, const Rate& rate, std::uint32_t wanted, Moment now);

/// As the bucket `limits` keeps it: nanoseconds since 1970, in decimal digits.
std::string encode(Bucket bucket);
/// Anything else is a bucket that was never used: a limit must not stay closed for ever.
Bucket decode(std::string_view text);

}  // namespace toolway::extensions::limits
