#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace toolway::chaos {

/// When gateways were cut off from NATS by the suite, or stopped: what docs/auth.md and
/// docs/extensions.md promise ("within 2 s everywhere"; "while NATS is away, what was known last
/// applies") counts from when a gateway can hear of it. Thread-safe.
class Outages {
 public:
  struct Span {
    std::int64_t from_us = 0;
    std::int64_t to_us = 0;  ///< kGoesOn: it has not ended
  };
  static constexpr std::int64_t kGoesOn = INT64_MAX;
  /// What is promised.
  static constexpr std::int64_t kInForceWithin = 2'000'000;
  /// What a gateway may take until it is connected again: 200 ms of pause, and an attempt that a
  /// server which is just coming back leaves without an answer for 2 s.
  static constexpr std::int64_t kConnectsWithin = 2'500'000;

  /// Of one gateway, by its URL; empty: of all.
  void add(const std::string& gateway, Span span);
  /// One that ends with `close`.
  void open(const std::string& gateway, std::int64_t from_us);
  void close(const std::string& gateway, std::int64_t to_us);

  /// All that was acknowledged by this time must be in force at the gateway for a request that
  /// begins at `at_us`.
  std::int64_t settled(const std::string& gateway, std::int64_t at_us) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Span>> spans_;
};

}  // namespace toolway::chaos
