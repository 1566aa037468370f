#include "gateway/admission/rate_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "extensions/limits/bucket.h"
#include "extensions/limits/bucket_key.h"
#include "monitoring/metric_names.h"

namespace toolway::gateway::admission {
namespace {

using extensions::limits::Bucket;
using extensions::limits::bucket_key;
using extensions::limits::Lease;

constexpr std::string_view kExtension = "limits";
/// A lost race means that another gateway has taken tokens: with a few gateways two or three in a
/// row.
constexpr int kMaxTries = 20;
/// What was not used for so long is forgotten here: its tokens in hand have expired long ago.
constexpr std::chrono::seconds kForgetAfter{10};

/// `200 ms`, `90 s`, `3 min`, `1 h 20 min`: rounded up, so that there is room by then.
std::string room_text(std::chrono::milliseconds wait) {
  using namespace std::chrono;
  if (wait < 1s) return fmt::format("{} ms", wait.count());
  if (wait <= 2min) return fmt::format("{} s", ceil<seconds>(wait).count());
  const auto whole = ceil<minutes>(wait).count();
  if (whole < 60) return fmt::format("{} min", whole);
  return fmt::format("{} h{}", whole / 60,
                     whole % 60 == 0 ? "" : fmt::format(" {} min", whole % 60));
}

}  // namespace

Error rate_limited(const extensions::Limit& limit, std::chrono::nanoseconds wait) {
  const auto ms =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(wait), std::chrono::milliseconds(1));
  return {
      ErrorCode::kRateLimited,
      fmt::format("limit {} lets no more calls through at the moment; there is room for one in {}",
                  limit.name, room_text(ms)),
      ms};
}

RateLimits::RateLimits(loop::AsyncBus& bus, const Clock& clock, monitoring::Metrics& metrics,
                       extensions::chain::ChainMetrics& chain_metrics, LimitRefusals& refusals,
                       loop::Executor executor)
    : bus_(bus),
      clock_(clock),
      metrics_(metrics),
      chain_metrics_(chain_metrics),
      refusals_(refusals),
      executor_(executor) {}

loop::Task<wire::HttpResult<void>> RateLimits::take(
    std::span<const extensions::chain::LimitAsked> limits, const v1::CallRequest& call) {
  for (const auto& [limit, on_failure] : limits) {
    if (limit.kind != extensions::LimitKind::kRate) continue;
    auto taken = co_await take_one(limit, call);
    if (taken) {
      chain_metrics_.allowed(kExtension);
      continue;
    }
    if (taken.error().code == ErrorCode::kRateLimited) {
      chain_metrics_.refused(kExtension);
      refusals_.note(bucket_key(limit, call), clock_.monotonic(), clock_.wall());
      metrics_.counter(monitoring::kLimited, "limit", limit.name).add();
      co_return wire::refuse(std::move(taken.error()));
    }
    chain_metrics_.failed(kExtension, on_failure, taken.error().message);
    if (on_failure == extensions::OnFailure::kClosed)
      co_return wire::refuse(wire::bus_problem(std::move(taken.error())));
  }
  co_return wire::HttpResult<void>();
}

loop::Task<Result<void>> RateLimits::take_one(const extensions::Limit& limit,
                                              const v1::CallRequest& call) {
  const std::string key = bucket_key(limit, call);
  const auto shared = shared_of(key, limit.rate, clock_.monotonic());
  shared->lease.arrives(clock_.monotonic());
  for (;;) {
    const MonotonicTime now = clock_.monotonic();
    switch (shared->lease.take(now)) {
      case Lease::Answer::kTaken: co_return Result<void>();
      case Lease::Answer::kEmpty: co_return fail(rate_limited(limit, shared->lease.wait(now)));
      case Lease::Answer::kAsk: break;
    }
    ++shared->waiting;
    auto asked = co_await shared->question.ask();
    --shared->waiting;
    CO_RETURN_IF_ERROR(asked);
  }
}

loop::Task<Result<void>> RateLimits::ask(const std::string& key) {
  Shared& shared = *shared_.at(key);  // which calls wait for
  for (int tries = 0; tries < kMaxTries; ++tries) {
    if (!shared.lease.must_ask(shared.waiting, clock_.monotonic())) co_return Result<void>();
    auto entry = co_await bus_.get_limit(key);
    if (!entry && entry.error().code != ErrorCode::kNotFound)
      co_return fail(std::move(entry.error()));
    const Bucket bucket = entry ? extensions::limits::decode(entry->value) : Bucket{};
    const WallTime wall = clock_.wall();
    const auto wanted = shared.lease.wanted(shared.waiting);
    const auto taken = extensions::limits::take(bucket, shared.lease.rate(), wanted, wall);
    if (taken.tokens > 0) {
      auto put = co_await bus_.put_limit(key, extensions::limits::encode(taken.left),
                                         entry ? entry->revision : 0);
      if (!put && put.error().code == ErrorCode::kWrongLastSequence) continue;
      CO_RETURN_IF_ERROR(put);
    }
    shared.lease.got(taken, wanted, wall, clock_.monotonic());
    co_return Result<void>();
  }
  co_return fail(ErrorCode::kBusUnavailable,
                 "too many gateways take tokens of the same limit at the same time");
}

std::shared_ptr<RateLimits::Shared> RateLimits::shared_of(const std::string& key,
                                                          const extensions::Rate& rate,
                                                          MonotonicTime now) {
  sweep(now);
  auto& shared = shared_[key];
  if (!shared) shared = std::make_shared<Shared>(rate, executor_, [this, key] { return ask(key); });
  shared->lease.set_rate(rate);
  return shared;
}

void RateLimits::sweep(MonotonicTime now) {
  if (now - swept_ < kForgetAfter) return;
  swept_ = now;
  std::erase_if(shared_, [now](const auto& one) {
    const Shared& shared = *one.second;
    return shared.waiting == 0 && now - shared.lease.last_used() >= kForgetAfter &&
           shared.lease.wait(now) <= std::chrono::nanoseconds(0);
  });
}

}  // namespace toolway::gateway::admission
