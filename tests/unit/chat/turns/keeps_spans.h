#pragma once

#include <vector>

#include "monitoring/tracer.h"

namespace toolway::chat::turns {

/// A tracer that keeps the spans that ended.
class KeepsSpans final : public monitoring::Tracer {
 public:
  TraceContext start(const TraceContext& parent) override { return parent.child(); }
  void end(monitoring::Span span) override { spans.push_back(std::move(span)); }
  std::vector<monitoring::Span> spans;
};

}  // namespace toolway::chat::turns
