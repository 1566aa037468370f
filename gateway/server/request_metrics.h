#pragma once

#include <array>
#include <chrono>

#include "gateway/wire/route.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::server {

/// The metrics of HTTP requests; its instruments are looked up once. On the io_context's thread.
class RequestMetrics {
 public:
  explicit RequestMetrics(monitoring::Metrics& metrics);

  /// Its answer, or the head of its stream, is about to be sent with this status.
  void answered(wire::Route route, unsigned status);
  /// It was answered, and was not a stream.
  void took(wire::Route route, std::chrono::nanoseconds time, const TraceContext& trace);

 private:
  enum class Action { kOpen, kClose, kRestore };
  enum class SessionResult { kOk, kRefused, kFailed };
  static constexpr std::size_t kActions = 3;
  static constexpr std::size_t kResults = 3;
  static constexpr std::size_t kClasses = 5;  // 1xx … 5xx

  void count_session(Action action, unsigned status);

  monitoring::Metrics& metrics_;
  std::array<monitoring::Histogram*, wire::kRoutes> times_{};
  /// Made at first use: most routes never see most classes.
  std::array<std::array<monitoring::Counter*, kClasses>, wire::kRoutes> answers_{};
  std::array<std::array<monitoring::Counter*, kResults>, kActions> sessions_{};
};

}  // namespace toolway::gateway::server
