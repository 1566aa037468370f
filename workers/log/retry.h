#pragma once

#include <chrono>
#include <optional>

#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"

/// Whether a failed attempt is followed by another one, and when. Pure.
namespace toolway::workers::log {

/// A delay up to this is spent in the call's queue; over a longer one the call is
/// acknowledged, and published again when it is due.
inline constexpr std::chrono::seconds kShortRetry{5};
/// An attempt that breaks off with its worker is not a failure; a call that this many workers did
/// not survive is not tried on another.
inline constexpr unsigned kMaxBrokenAttempts = 10;

/// An attempt that has ended.
struct EndedAttempt {
  const v1::Completed& completed;  ///< as it would end the call
  bool idempotent = false;         ///< the tool may run twice
  bool still_runs = false;         ///< its thread did not come back
  unsigned failures = 1;           ///< of the call, this one included
  double jitter = 0;  ///< 0 … 1, so that calls that failed together do not return together
};

struct Again {
  std::chrono::milliseconds after{0};
  unsigned attempts_left = 0;  ///< the next one included
};

/// Nothing: the attempt's completion is the call's. The delay grows by the policy's factor up to
/// its maximum, less at most a tenth; the error's own `retry_after` raises it.
std::optional<Again> retry(const tools::model::RetryPolicy& policy, const EndedAttempt& ended);

/// For attempt `attempt` of a call: always the same, and not the same for any two.
double jitter_of(const std::string& call_id, unsigned attempt);

}  // namespace toolway::workers::log
