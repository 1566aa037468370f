#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace toolway::monitoring {

/// Upper bounds of every histogram's buckets, in seconds; above the last one there is one more
/// bucket.
inline constexpr std::array kSecondsBounds{0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01,
                                           0.015,  0.025, 0.05,  0.1,   0.25,  0.5,    1.0,
                                           2.5,    5.0,   10.0,  30.0,  60.0,  120.0,  300.0};
inline constexpr std::size_t kBuckets = kSecondsBounds.size() + 1;

/// A value on a bound belongs to the bucket below it (`le`: less or equal), as in
/// prometheus::Histogram.
inline std::size_t bucket_of(double seconds) {
  const auto* bound = std::lower_bound(kSecondsBounds.begin(), kSecondsBounds.end(), seconds);
  return static_cast<std::size_t>(bound - kSecondsBounds.begin());
}

}  // namespace toolway::monitoring
