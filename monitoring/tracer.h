#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/trace_context.h"

/// Tracing, as its callers see it: `Tracer` hides what sends spans, and in which format.
/// Names of spans and attributes follow OpenTelemetry's semantic conventions.
namespace toolway::monitoring {

enum class SpanKind { kInternal, kServer, kClient, kProducer, kConsumer };

using SpanValue = std::variant<std::string, std::int64_t, double, bool>;

struct SpanAttribute {
  std::string_view key;  ///< a literal
  SpanValue value;
};

/// A piece of work that has ended. A value.
struct Span {
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  TraceContext context;  ///< of the span itself, from `Tracer::start`
  TraceContext parent;   ///< of no trace: this is the first one
  TraceContext link;     ///< a span that caused this one from elsewhere; of no trace: none
  WallTime start{};
  WallTime end{};
  std::vector<SpanAttribute> attributes;
  /// `error.type`: empty, the work went well. Never a message: those may hold what a user said.
  std::string error_type;
};

/// Thread-safe. Never blocks and never fails: what it cannot keep it drops, and counts.
class Tracer {
 public:
  virtual ~Tracer() = default;
  /// The context of a span that begins now: in `parent`'s trace and sampled as that is, or, when
  /// `parent` is of no trace, the first of a new one, if chance picks it, and else of no trace.
  /// Only a sampled context must be ended. What is not sampled is `parent` itself, to be passed on.
  virtual TraceContext start(const TraceContext& parent) = 0;
  /// Takes a span that `start` began and that is sampled.
  virtual void end(Span span) = 0;
  /// Whether spans are kept at all. If not, none need be made; contexts are still passed on.
  virtual bool records() const { return true; }
};

/// Records nothing, and passes on what came.
std::shared_ptr<Tracer> no_tracing();

}  // namespace toolway::monitoring
