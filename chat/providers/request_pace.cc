#include "chat/providers/request_pace.h"

#include <algorithm>

namespace toolway::chat::providers {

std::chrono::milliseconds RequestPace::Left::take(std::uint64_t per_minute, std::uint64_t cost,
                                                  MonotonicTime now) {
  if (per_minute == 0) return std::chrono::milliseconds(0);
  const auto most = static_cast<double>(per_minute);
  const double per_ms = most / 60'000;
  if (!begun) {
    amount = most;
  } else if (now > at) {
    const std::chrono::duration<double, std::milli> passed = now - at;
    amount = std::min(most, amount + passed.count() * per_ms);
  }
  begun = true;
  at = std::max(at, now);
  amount -= static_cast<double>(std::min(cost, per_minute));
  if (amount >= 0) return std::chrono::milliseconds(0);
  return std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double, std::milli>(-amount / per_ms));
}

std::chrono::milliseconds RequestPace::take(const PaceLimits& limits, std::uint64_t tokens,
                                            MonotonicTime now) {
  const MutexLock lock(mutex_);
  const auto for_requests = requests_.take(limits.requests, 1, now);
  const auto for_tokens = tokens_.take(limits.tokens, tokens, now);
  return std::max(for_requests, for_tokens);
}

void RequestPace::correct(const PaceLimits& limits, std::uint64_t taken, std::uint64_t used) {
  if (limits.tokens == 0) return;
  const auto share = [&limits](std::uint64_t tokens) {
    return static_cast<double>(std::min(tokens, limits.tokens));
  };
  const MutexLock lock(mutex_);
  tokens_.amount =
      std::min(static_cast<double>(limits.tokens), tokens_.amount + share(taken) - share(used));
}

}  // namespace toolway::chat::providers
