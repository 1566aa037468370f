#pragma once

#include <mutex>
#include <vector>

#include "monitoring/tracer.h"

namespace toolway::test {

/// Keeps every span, all of them sampled. Thread-safe.
class RecordingTracer final : public monitoring::Tracer {
 public:
  TraceContext start(const TraceContext& parent) override {
    if (parent.valid() && !parent.sampled) return parent;
    return parent.valid() ? parent.child() : TraceContext::root(true);
  }
  void end(monitoring::Span span) override {
    const std::scoped_lock lock(mutex_);
    spans_.push_back(std::move(span));
  }
  std::vector<monitoring::Span> spans() const {
    const std::scoped_lock lock(mutex_);
    return spans_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<monitoring::Span> spans_;  // under mutex_
};

}  // namespace toolway::test
