#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/trace_context.h"
#include "monitoring/seconds_bounds.h"

/// Exemplars lead from a slow bucket to a trace. prometheus-cpp 1.0 has none, so we keep them next
/// to its histograms, and write them with the buckets they belong to.
namespace toolway::monitoring {

/// An observation with the span it was made in.
struct Exemplar {
  double value = 0;  ///< seconds
  WallTime at{};
  TraceContext trace;
};

struct BucketExemplar {
  std::size_t bucket;  ///< its place in kSecondsBounds
  Exemplar exemplar;
};

/// The last exemplar of each bucket of one histogram. Thread-safe.
class ExemplarSlots {
 public:
  void put(double seconds, const TraceContext& trace, WallTime at);
  /// By bucket, ascending.
  std::vector<BucketExemplar> read() const;

 private:
  using Slots = std::array<Exemplar, kBuckets>;

  mutable Mutex mutex_;
  std::unique_ptr<Slots> slots_ GUARDED_BY(mutex_);  // made when the first exemplar comes
};

/// The exemplars of all histograms at one moment, by metric and by LabelList::text. A value.
class Exemplars {
 public:
  using OfSeries = std::vector<BucketExemplar>;

  void add(std::string_view metric, const std::string& labels, OfSeries exemplars);
  bool empty() const { return metrics_.empty(); }
  /// An empty list when the series has none.
  const OfSeries& of(std::string_view metric, const std::string& labels) const;

 private:
  std::map<std::string, std::unordered_map<std::string, OfSeries>, std::less<>> metrics_;
};

}  // namespace toolway::monitoring
