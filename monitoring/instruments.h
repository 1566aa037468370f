#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "monitoring/metrics.h"

/// The instruments themselves: atomics, and nothing that a call could wait for.
namespace toolway::monitoring {

/// Upper bounds of a histogram's buckets, in seconds; above the last one there is one more.
inline constexpr std::array kSecondsBounds{0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01,
                                           0.015,  0.025, 0.05,  0.1,   0.25,  0.5,    1.0,
                                           2.5,    5.0,   10.0,  30.0,  60.0,  120.0,  300.0};
inline constexpr std::size_t kBuckets = kSecondsBounds.size() + 1;

class AtomicCounter final : public Counter {
 public:
  void add(double amount) override { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const override { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class AtomicGauge final : public Gauge {
 public:
  void set(double value) override { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) override { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const override { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

/// An observation with the span it was made in.
struct Exemplar {
  double value = 0;
  WallTime at{};
  TraceContext trace;
};

/// What a histogram holds at one moment.
struct HistogramValues {
  struct OfBucket {
    std::size_t bucket;
    Exemplar exemplar;
  };
  std::array<std::uint64_t, kBuckets> counts{};  ///< of each bucket alone
  double sum = 0;
  std::vector<OfBucket> exemplars;  ///< by bucket, ascending
};

class AtomicHistogram final : public Histogram {
 public:
  void observe(std::chrono::duration<double> value) override;
  void observe(std::chrono::duration<double> value, const TraceContext& trace) override;
  HistogramValues values() const;

 private:
  using Exemplars = std::array<Exemplar, kBuckets>;

  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<double> sum_ = 0;
  mutable std::mutex mutex_;
  std::unique_ptr<Exemplars> exemplars_;  // under mutex_; made when the first one comes
};

}  // namespace toolway::monitoring
