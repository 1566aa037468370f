#pragma once

#include <cstdint>

#include "base/trace_context.h"

namespace toolway::monitoring::otlp {

/// Whether a trace that begins here is sampled, by the last 56 bits of its id, so that all
/// processes that ask the same question about the same trace decide alike (OpenTelemetry's
/// consistent probability sampling:
/// https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/). Pure.
class RootSampler {
 public:
  /// `probability`: 0 none, 1 all.
  explicit RootSampler(double probability)
      : rejected_(static_cast<std::uint64_t>((1 - probability) * static_cast<double>(kValues))) {}

  bool samples(const TraceContext& root) const {
    std::uint64_t random = 0;
    for (std::size_t at = root.trace_id.size() - 7; at < root.trace_id.size(); ++at) {
      random = random << 8 | root.trace_id[at];
    }
    return random >= rejected_;
  }

 private:
  static constexpr std::uint64_t kValues = std::uint64_t{1} << 56;
  std::uint64_t rejected_;
};

}  // namespace toolway::monitoring::otlp
