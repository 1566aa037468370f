#pragma once

#include <prometheus/family.h>

#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "monitoring/metric_table.h"
#include "monitoring/prometheus_instruments.h"
#include "monitoring/series_bound.h"
#include "monitoring/token_bounds.h"

namespace toolway::monitoring {

/// Finds the series of one metric by their labels, and adds new ones to prometheus-cpp's family,
/// which owns the values. Thread-safe; instruments stay where they are.
template <typename Owned, typename Instrument>
class SeriesIndex {
 public:
  using Series = std::pair<const std::string, Instrument>;  ///< LabelList::text and the instrument
  struct Found {
    Instrument& instrument;
    bool over_bound;  ///< some label's value became `other`
  };

  SeriesIndex(const MetricDescription& about, prometheus::Family<Owned>& family,
              SeriesBounds bounds)
      : about_(about), family_(family), bound_(bounds) {}

  const MetricDescription& about() const { return about_; }

  Found at(LabelList labels) {
    std::string text = labels.text();
    MutexLock lock(mutex_);
    if (const auto known = series_.find(text); known != series_.end())
      return {known->second, false};
    const bool over_bound = bound_.fold(labels, series_.size());
    if (over_bound) {
      text = labels.text();
      if (const auto other = series_.find(text); other != series_.end())
        return {other->second, true};
    }
    // A scrape holds the family's own lock while it copies the family: only the caller that needs a
    // new series waits for it. Of two that add the same one, both get the same.
    lock.unlock();
    Owned& owned = add(labels);
    lock.lock();
    return {series_.try_emplace(std::move(text), owned).first->second, over_bound};
  }

  /// Those of now; they live as long as the index.
  std::vector<const Series*> series() const {
    std::vector<const Series*> found;
    const MutexLock lock(mutex_);
    found.reserve(series_.size());
    for (const Series& series : series_) found.push_back(&series);
    return found;
  }

 private:
  Owned& add(const LabelList& list) {
    prometheus::Labels labels;
    for (const auto& [name, value] : list) labels.emplace(name, value);
    if constexpr (std::is_same_v<Owned, prometheus::Histogram>) {
      using Bounds = prometheus::Histogram::BucketBoundaries;
      static const Bounds seconds(kSecondsBounds.begin(), kSecondsBounds.end());
      static const Bounds tokens(kTokenBounds.begin(), kTokenBounds.end());
      return family_.Add(labels, about_.unit == MetricUnit::kTokens ? tokens : seconds);
    } else {
      return family_.Add(labels);
    }
  }

  const MetricDescription& about_;
  prometheus::Family<Owned>& family_;
  mutable Mutex mutex_;
  SeriesBound bound_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, Instrument> series_ GUARDED_BY(mutex_);
};

}  // namespace toolway::monitoring
