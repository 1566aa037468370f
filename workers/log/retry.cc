#include "workers/log/retry.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace toolway::workers::log {
namespace {

using std::chrono::milliseconds;

/// After that, nothing of the call is left in the streams.
constexpr std::chrono::hours kMaxRetryDelay{24};

bool worth_it(const tools::model::RetryPolicy& policy, const v1::Completed& completed) {
  const auto& error = completed.error();
  if (!policy.codes.empty()) {
    const bool ended_badly =
        completed.outcome() == v1::OUTCOME_FAILED || completed.outcome() == v1::OUTCOME_TIMED_OUT;
    // The total is the call's limit, not the attempt's, and nothing has run when its queue took too
    // long.
    const bool over_all = error.code() == code_name(ErrorCode::kTotalLimitExceeded) ||
                          error.code() == code_name(ErrorCode::kQueueLimitExceeded);
    return ended_badly && !over_all &&
           std::ranges::find(policy.codes, error.code()) != policy.codes.end();
  }
  return completed.outcome() == v1::OUTCOME_FAILED && error.retryable();
}

}  // namespace

std::optional<Again> retry(const tools::model::RetryPolicy& policy, const EndedAttempt& ended) {
  if (ended.failures >= policy.max_attempts || !worth_it(policy, ended.completed))
    return std::nullopt;
  // By listing a code, a spec's author promises that another attempt does no harm, though not while
  // the first still runs.
  if (!ended.idempotent && (policy.codes.empty() || ended.still_runs)) return std::nullopt;
  const double most = static_cast<double>(policy.max_delay.count());
  double delay = static_cast<double>(policy.initial_delay.count()) *
                 std::pow(policy.factor, ended.failures - 1);
  delay = std::min(delay, most) * (1 - std::clamp(ended.jitter, 0.0, 1.0) / 10);
  delay = std::max(delay, static_cast<double>(ended.completed.error().retry_after_ms()));
  const auto after = std::min(delay, static_cast<double>(milliseconds(kMaxRetryDelay).count()));
  return Again{milliseconds(static_cast<std::int64_t>(after)),
               policy.max_attempts - ended.failures};
}

double jitter_of(const std::string& call_id, unsigned attempt) {
  const auto hash = std::hash<std::string>()(call_id + '.' + std::to_string(attempt));
  return static_cast<double>(hash % 1024) / 1024;
}

}  // namespace toolway::workers::log
