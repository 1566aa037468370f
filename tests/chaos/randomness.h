#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace toolway::chaos {

/// Numbers that a seed determines. Each thread has one of its own.
class Randomness {
 public:
  explicit Randomness(std::uint64_t seed) : engine_(seed) {}
  /// From `low` to `high`, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(engine_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(engine_); }
  /// The time to the next of events that come at random, in seconds.
  double until_next(double mean_seconds) {
    return std::exponential_distribution<double>(1 / mean_seconds)(engine_);
  }
  template <typename T>
  T& pick(std::vector<T>& from) {
    return from[between(0, from.size() - 1)];
  }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[between(0, from.size() - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace toolway::chaos
