#pragma once

#include <chrono>
#include <cstdint>

#include "base/net/http_client.h"
#include "monitoring/otlp/otlp.h"

/// What a receiver's answer means, by the OTLP specification (sections "OTLP/HTTP Response" and
/// "Failures"). Pure.
namespace toolway::monitoring::otlp {

/// Status 0: there was none (no connection, no answer in time).
using OtlpAnswer = net::HttpAnswer;

enum class Reception {
  kTaken,
  kTryAgain,  ///< 429, 502, 503, 504, or no answer
  kRefused,   ///< anything else: the same request would be refused again
};
Reception judge(const OtlpAnswer& answer);

/// Spans of an accepted request that the receiver did not accept (`partialSuccess`). What cannot be
/// read counts as 0.
std::uint64_t rejected_spans(const OtlpAnswer& answer);

/// How long to wait before trying for the `failures`th time again: what the receiver asks for, else
/// exponential, times `chance` (0 to 1) between a half and the whole of it. Never over `most`.
std::chrono::milliseconds pause_before_retry(const OtlpRetries& retries, const OtlpAnswer& answer,
                                             unsigned failures, double chance);

}  // namespace toolway::monitoring::otlp
