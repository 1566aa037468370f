#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include "monitoring/metrics.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/registry.h"

namespace toolway::workers {

/// A tool with its instruments, looked up once. Thread-safe.
class ToolEntry {
 public:
  ToolEntry(const tools::RegisteredTool* tool, std::string name, std::string pool,
            monitoring::Metrics& metrics);

  /// Null: this worker has no such tool.
  const tools::RegisteredTool* tool() const { return tool_; }
  monitoring::Histogram& submit_to_started() { return submit_to_started_; }
  monitoring::Histogram& submit_to_completed() { return submit_to_completed_; }
  void ran(std::chrono::nanoseconds time);
  void completed(v1::Outcome outcome);
  /// Whether its last runs took less time than it takes to wake a thread.
  bool quick() const { return typical_run_ns_.load(std::memory_order_relaxed) < kQuickNs; }

 private:
  static constexpr std::int64_t kQuickNs = 100'000;

  const tools::RegisteredTool* const tool_;
  const std::string name_;
  const std::string pool_;
  monitoring::Metrics& metrics_;
  monitoring::Histogram& submit_to_started_;
  monitoring::Histogram& submit_to_completed_;
  monitoring::Histogram& run_;
  std::atomic<std::int64_t> typical_run_ns_{kQuickNs};
  // Made at first use: most tools never see most outcomes.
  std::array<std::atomic<monitoring::Counter*>, v1::Outcome_ARRAYSIZE> completed_{};
};

/// The tools of one worker. Immutable but for its instruments.
class ToolTable {
 public:
  ToolTable(std::shared_ptr<const tools::Registry> registry, const std::string& pool,
            monitoring::Metrics& metrics);
  /// An entry without a tool when there is none of that name.
  ToolEntry& find(std::string_view ns, std::string_view name);

 private:
  const std::shared_ptr<const tools::Registry> registry_;
  std::unordered_map<const tools::RegisteredTool*, std::unique_ptr<ToolEntry>> entries_;
  ToolEntry unknown_;
};

}  // namespace toolway::workers
