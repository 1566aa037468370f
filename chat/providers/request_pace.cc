#include "chat/providers/request_pace.h"

#include <algorithm>

namespace toolway::chat::providers {
namespace {

/// When `count` of a minute's share are there.
MonotonicTime take_from(std::optional<TokenBucket>& bucket, std::uint64_t per_minute,
                        std::uint64_t count, MonotonicTime now) {
  if (per_minute == 0) return now;
  const auto burst = static_cast<double>(per_minute);
  if (!bucket) bucket.emplace(TokenBucket::Rate{.burst = burst, .per_second = burst / 60});
  return bucket->reserve(now, static_cast<double>(count));
}

}  // namespace

std::chrono::milliseconds RequestPace::take(const PaceLimits& limits, std::uint64_t tokens,
                                            MonotonicTime now) {
  const MutexLock lock(mutex_);
  const auto for_requests = take_from(requests_, limits.requests, 1, now);
  const auto for_tokens = take_from(tokens_, limits.tokens, tokens, now);
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(for_requests, for_tokens) - now);
}

void RequestPace::correct(const PaceLimits& limits, std::uint64_t taken, std::uint64_t used) {
  const auto share = [&limits](std::uint64_t tokens) {
    return static_cast<double>(std::min(tokens, limits.tokens));
  };
  const MutexLock lock(mutex_);
  if (tokens_) tokens_->give_back(share(taken) - share(used));
}

}  // namespace toolway::chat::providers
