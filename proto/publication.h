#pragma once

#include <cstdint>

/// Which publication of a call a message on CALLS is (`CallRequest.publication`). For a first one
/// (0) a worker trusts EVENTS to hold everything ever published about the call while the message is
/// young; for any other, only when nothing has ever left EVENTS or the collectors say so.
namespace toolway::proto {

/// After a RetryAt: the number of the attempt that failed.
/// After an attempt that broke off: this much more, so that the two never share a message id.
inline constexpr std::uint32_t kBrokenOff = 1000;
/// Of a held call that was approved: by the gateway that approved it, or the reaper for it.
inline constexpr std::uint32_t kReleased = 900;
/// Of a parked call that was answered: this much more than the number of the attempt that asked.
inline constexpr std::uint32_t kAnswered = 10'000;
/// By a gateway that repeats a request under its Idempotency-Key.
inline constexpr std::uint32_t kRepeatedRequest = 1'000'000;

}  // namespace toolway::proto
