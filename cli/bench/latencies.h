#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace toolway::cli {

/// Latencies in nanoseconds, kept one by one: percentiles are exact (nearest rank).
class Latencies {
 public:
  void add(std::int64_t ns) {
    values_.push_back(ns);
    sorted_ = false;
  }
  std::size_t count() const { return values_.size(); }
  /// `share` in (0, 1]; 0 when there are none.
  std::int64_t percentile(double share) {
    if (values_.empty()) return 0;
    if (!sorted_) std::sort(values_.begin(), values_.end());
    sorted_ = true;
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values_.size()) - 1e-9));
    return values_[std::clamp<std::size_t>(rank, 1, values_.size()) - 1];
  }
  double percentile_ms(double share) { return static_cast<double>(percentile(share)) / 1e6; }

 private:
  std::vector<std::int64_t> values_;
  bool sorted_ = false;
};

}  // namespace toolway::cli
