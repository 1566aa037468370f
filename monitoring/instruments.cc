#include "monitoring/instruments.h"

#include <algorithm>

namespace toolway::monitoring {
namespace {

/// A value on a bound belongs to the bucket below it (`le`: less or equal).
std::size_t bucket_of(double value) {
  const auto* bound = std::lower_bound(kSecondsBounds.begin(), kSecondsBounds.end(), value);
  return static_cast<std::size_t>(bound - kSecondsBounds.begin());
}

/// Clocks of two machines differ, and a sum that falls is a counter that began anew to whoever reads it.
double observable(std::chrono::duration<double> value) { return std::max(0.0, value.count()); }

}  // namespace

void AtomicHistogram::observe(std::chrono::duration<double> value) {
  const double seconds = observable(value);
  counts_[bucket_of(seconds)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(seconds, std::memory_order_relaxed);
}

void AtomicHistogram::observe(std::chrono::duration<double> value, const TraceContext& trace) {
  observe(value);
  if (!trace.sampled || !trace.valid()) return;
  const auto now = std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const std::scoped_lock lock(mutex_);
  if (!exemplars_) exemplars_ = std::make_unique<Exemplars>();
  const double seconds = observable(value);
  Exemplar& exemplar = (*exemplars_)[bucket_of(seconds)];
  exemplar.value = seconds;
  exemplar.at = now;
  exemplar.trace.trace_id = trace.trace_id;
  exemplar.trace.span_id = trace.span_id;
}

HistogramValues AtomicHistogram::values() const {
  HistogramValues values;
  for (std::size_t i = 0; i < kBuckets; ++i) values.counts[i] = counts_[i].load(std::memory_order_relaxed);
  values.sum = sum_.load(std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  if (!exemplars_) return values;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if ((*exemplars_)[i].trace.valid()) values.exemplars.push_back({i, (*exemplars_)[i]});
  }
  return values;
}

}  // namespace toolway::monitoring
