#pragma once

#include <chrono>
#include <cstdint>

namespace toolway::simulation {

using Micros = std::chrono::microseconds;

/// The one source of chance (splitmix64): the same numbers for the same seed on
/// every machine, which the distributions of <random> do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 … below-1; `below` > 0.
  std::uint64_t below(std::uint64_t below) { return next() % below; }
  bool per_mille(unsigned chance) { return below(1000) < chance; }
  Micros between(Micros from, Micros to) {
    return from + Micros(below(static_cast<std::uint64_t>((to - from).count()) + 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace toolway::simulation
