#pragma once

#include <memory>

#include "base/clock.h"
#include "chat/providers/provider.h"
#include "monitoring/metrics.h"
#include "monitoring/tracer.h"

namespace toolway::chat::turns {

/// Who hears of requests to a model. All outlive what they hear of.
struct ProviderObserver {
  monitoring::Metrics& metrics;
  monitoring::Tracer& tracer;
  const Clock& clock;
  TraceContext parent{};  ///< what the requests' spans are below
};

/// `openai`, `anthropic` or `scripted`, as OpenTelemetry's GenAI conventions name providers.
std::string_view provider_name(const providers::Provider& provider);

/// Asks `provider`, and measures that: `gen_ai_client_*` (docs/metrics.md), and a span `chat MODEL`
/// for each request. Neither holds what was said.
std::unique_ptr<providers::Provider> observed(std::shared_ptr<providers::Provider> provider,
                                              const ProviderObserver& observer);

}  // namespace toolway::chat::turns
