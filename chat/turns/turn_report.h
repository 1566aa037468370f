#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "chat/engine/engine.h"
#include "monitoring/metrics.h"
#include "monitoring/tracer.h"
#include "tools/model/tool.h"

/// What a chat process tells of turns besides their events: docs/metrics.md, docs/tracing.md.
namespace toolway::chat::turns {

/// How a turn ended, as a label: a word of a closed set. `failed` is what is not in it. Pure.
std::string_view finish_label(const tools::model::Execution& ended);

/// What began a turn, as a label. `step`: of its arguments; `alone`: its history came with it.
std::string_view begun_label(std::string_view step, bool alone);

/// Where it goes. Both outlive every turn.
struct Telemetry {
  monitoring::Metrics& metrics;
  monitoring::Tracer& tracer;
};

/// One attempt of a turn, as metrics and its span `invoke_agent` tell it. The turn's thread.
class TurnReport {
 public:
  /// `clock` outlives it. `begun`: a label.
  TurnReport(Telemetry telemetry, const Clock& clock, const tools::model::ToolContext& context,
             std::string_view begun);

  /// What the turn asks of others is below this span.
  const TraceContext& trace() const { return context_; }
  /// From now on its time counts.
  void begins() { begun_at_ = clock_.monotonic(); }
  void retried(std::string_view provider, const providers::Retry& retry);
  void told(std::size_t calls);
  /// `provider`: a label.
  void replied(std::string_view provider, const engine::Reply& reply);
  /// Once.
  void ended(const tools::model::Execution& ended);

 private:
  const Telemetry telemetry_;
  const Clock& clock_;
  const std::string_view begun_;
  TraceContext context_;
  std::optional<monitoring::Span> span_;
  std::optional<MonotonicTime> begun_at_;
};

}  // namespace toolway::chat::turns
