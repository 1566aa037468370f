#include "gateway/calls/call_counters.h"

#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::calls {

void CallCounters::refused(ErrorCode code) {
  metrics_.counter(monitoring::kCallsRefused, "code", code_name(code)).add();
}

void CallCounters::accepted(const v1::CallRequest& call) {
  const std::string name = proto::qualified_name(call.labels());
  // Two versions of a tool may name two pools.
  auto& counter = accepted_[call.pool() + '/' + name];
  if (counter == nullptr) {
    counter = &metrics_.counter(monitoring::kCallsAccepted,
                                monitoring::CallKey{.tool = name, .pool = call.pool()});
  }
  counter->add();
}

void CallCounters::replayed() { metrics_.counter(monitoring::kReplays).add(); }

void CallCounters::completed(const v1::CallLabels& labels, std::string_view pool,
                             v1::Outcome outcome) {
  metrics_
      .counter(monitoring::kCallsCompleted,
               monitoring::CallKey{.tool = proto::qualified_name(labels),
                                   .pool = pool,
                                   .outcome = proto::outcome_name(outcome)})
      .add();
}

void CallCounters::cancelled(std::string_view result) {
  metrics_.counter(monitoring::kCancels, "result", result).add();
}

void CallCounters::outlasted_close(std::size_t calls) {
  metrics_.counter(monitoring::kCloseTimeouts).add(static_cast<double>(calls));
}

}  // namespace toolway::gateway::calls
