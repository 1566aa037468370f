#include "workers/tool_table.h"

#include "monitoring/metric_names.h"
#include "proto/codec.h"

namespace toolway::workers {

ToolEntry::ToolEntry(const tools::RegisteredTool* tool, std::string name, std::string pool,
                     monitoring::Metrics& metrics)
    : tool_(tool),
      name_(std::move(name)),
      pool_(std::move(pool)),
      metrics_(metrics),
      submit_to_started_(metrics.histogram(monitoring::kSubmitToStarted, {name_, pool_})),
      submit_to_completed_(metrics.histogram(monitoring::kSubmitToCompleted, {name_, pool_})),
      run_(metrics.histogram(monitoring::kRun, {name_, pool_})) {}

void ToolEntry::ran(std::chrono::nanoseconds time) {
  run_.observe(time);
  const std::int64_t before = typical_run_ns_.load(std::memory_order_relaxed);
  typical_run_ns_.store(before + (time.count() - before) / 8, std::memory_order_relaxed);
}

void ToolEntry::completed(v1::Outcome outcome) {
  auto& cached = completed_[static_cast<std::size_t>(outcome)];
  monitoring::Counter* counter = cached.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &metrics_.counter(monitoring::kCallsCompleted,
                                {name_, pool_, proto::outcome_name(outcome)});
    cached.store(counter, std::memory_order_release);
  }
  counter->add();
}

ToolTable::ToolTable(std::shared_ptr<const tools::Registry> registry, const std::string& pool,
                     monitoring::Metrics& metrics)
    : registry_(std::move(registry)), unknown_(nullptr, "unknown", pool, metrics) {
  for (const tools::RegisteredTool* tool : registry_->list()) {
    if (tool->spec().pool != pool) continue;
    entries_.emplace(tool, std::make_unique<ToolEntry>(tool, tool->spec().qualified_name(), pool,
                                                       metrics));
  }
}

ToolEntry& ToolTable::find(std::string_view ns, std::string_view name) {
  const tools::RegisteredTool* tool = registry_->find(ns, name).get();
  const auto found = entries_.find(tool);
  return found == entries_.end() ? unknown_ : *found->second;
}

}  // namespace toolway::workers
