#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "extensions/chain/chain.h"
#include "extensions/limits/lease.h"
#include "gateway/admission/limit_refusals.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/coalesced.h"
#include "gateway/wire/problem.h"
#include "monitoring/metrics.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::admission {

/// What a caller reads when a limit has no token left: "limit `writes` …".
Error rate_limited(const extensions::Limit& limit, std::chrono::nanoseconds wait);

/// Takes the tokens of calls from the buckets that all gateways share, by compare-and-set on the
/// bus, one question at a time for each bucket, and for all calls that wait for it
/// (`extensions/limits`). A bucket that is empty is not asked again before it has a token, so
/// refusing costs the bus nothing. On the io_context's thread; must outlive its coroutines.
class RateLimits {
 public:
  RateLimits(loop::AsyncBus& bus, const Clock& clock, monitoring::Metrics& metrics,
             extensions::chain::ChainMetrics& chain_metrics, LimitRefusals& refusals,
             loop::Executor executor);

  /// Takes a token of each rate; of several, those before one that has none are gone. Errors:
  /// rate_limited, with the time until there is one; the bus's, when a bucket cannot be asked and
  /// its limit fails closed.
  loop::Task<wire::HttpResult<void>> take(std::span<const extensions::chain::LimitAsked> limits,
                                          const v1::CallRequest& call);
  std::size_t buckets() const { return shared_.size(); }

 private:
  /// One bucket, while it is in use here.
  struct Shared {
    Shared(const extensions::Rate& rate, loop::Executor executor,
           std::function<loop::Task<Result<void>>()> ask)
        : lease(rate), question(executor, std::move(ask)) {}
    extensions::limits::Lease lease;
    std::uint32_t waiting = 0;  ///< calls, for an answer
    loop::Coalesced<void> question;
  };

  /// Kept by who takes a token, whatever is swept.
  std::shared_ptr<Shared> shared_of(const std::string& key, const extensions::Rate& rate,
                                    MonotonicTime now);
  /// Nothing: one was taken. Errors: as `take`.
  loop::Task<Result<void>> take_one(const extensions::Limit& limit, const v1::CallRequest& call);
  /// Takes what the calls that wait need, if that is not in hand already.
  loop::Task<Result<void>> ask(const std::string& key);
  void sweep(MonotonicTime now);

  loop::AsyncBus& bus_;
  const Clock& clock_;
  monitoring::Metrics& metrics_;
  extensions::chain::ChainMetrics& chain_metrics_;
  LimitRefusals& refusals_;
  const loop::Executor executor_;
  std::unordered_map<std::string, std::shared_ptr<Shared>> shared_;
  MonotonicTime swept_{};
};

}  // namespace toolway::gateway::admission
