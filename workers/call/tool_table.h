#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "base/mutex.h"
#include "monitoring/metrics.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/registry.h"
#include "workers/call/step.h"
#include "workers/worker.h"

namespace toolway::workers::call {

/// A tool with its instruments, looked up once. Thread-safe.
class ToolEntry {
 public:
  ToolEntry(Result<tools::model::RegisteredToolPtr> tool, std::string name, std::string pool,
            monitoring::Metrics& metrics);

  /// Null: this worker cannot run it; `why_not` says why.
  const tools::model::RegisteredTool* tool() const { return tool_ ? tool_->get() : nullptr; }
  const Error& why_not() const { return tool_.error(); }
  void ran(std::chrono::nanoseconds time, const TraceContext& trace);
  /// Counts what a step of one of its calls, so long after that was submitted, says.
  void count(const Orders& orders, std::chrono::nanoseconds since_submitted,
             const TraceContext& trace);
  bool native() const {
    return tool() != nullptr && tool()->spec().kind == tools::model::Kind::kNative;
  }
  /// Whether its last runs took less time than it takes to wake a thread.
  bool quick() const { return typical_run_ns_.load(std::memory_order_relaxed) < kQuickNs; }

 private:
  static constexpr std::int64_t kQuickNs = 100'000;
  static constexpr std::size_t kCodes =
      static_cast<std::size_t>(ErrorCode::kInternal) + 1;  // the last one

  void completed(v1::Outcome outcome);
  /// An attempt ended with an error of this code; a tool's own codes count as one.
  void attempt_failed(std::string_view code);

  const Result<tools::model::RegisteredToolPtr> tool_;
  const std::string name_;
  const std::string pool_;
  monitoring::Metrics& metrics_;
  monitoring::Histogram& submit_to_started_;
  monitoring::Histogram& submit_to_completed_;
  monitoring::Histogram& run_;
  monitoring::Counter& retries_;
  std::atomic<std::int64_t> typical_run_ns_{kQuickNs};
  // Made at first use: most tools never see most outcomes, and codes.
  std::array<std::atomic<monitoring::Counter*>, v1::Outcome_ARRAYSIZE> completed_{};
  std::array<std::atomic<monitoring::Counter*>, kCodes + 1>
      errors_{};  ///< by code; the last: a tool's own
};
using ToolEntryPtr = std::shared_ptr<ToolEntry>;

/// The tools of one worker by the digest of their spec: its native ones from the
/// start, every other one when a call first names it. Keeps the `kMaxLearnedTools`
/// used last. Thread-safe.
class ToolTable {
 public:
  static constexpr std::size_t kMaxLearnedTools = 4096;

  ToolTable(WorkerTools tools, std::string pool, monitoring::Metrics& metrics);

  /// Whether mocks answer for tools of it.
  bool mocked() const { return tools_.mocks && tools_.mocks->answers(); }

  /// The tool of a call; null when its spec is not known yet: fetch it, then `learn` it.
  /// A call without a digest means the native tool of that name.
  ToolEntryPtr find(const v1::CallRequest& request);

  /// `document`: what the bucket `specs` holds under the call's digest, or why it holds nothing. An
  /// error makes an entry for this call alone.
  ToolEntryPtr learn(const v1::CallRequest& request, const Result<std::string>& document);

 private:
  struct Learned {
    ToolEntryPtr entry;
    std::list<std::string>::iterator place;  ///< in used_
  };

  ToolEntryPtr entry(const v1::CallRequest& request, Result<tools::model::RegisteredToolPtr> tool);
  Result<tools::model::RegisteredToolPtr> make(const v1::CallRequest& request,
                                               const std::string& document) const;

  /// A tool of the build as this worker runs it.
  tools::model::RegisteredToolPtr as_mocked(tools::model::RegisteredToolPtr native) const;
  Result<std::shared_ptr<const tools::model::Tool>> make_real(tools::model::Spec spec) const;

  const WorkerTools tools_;
  const std::string pool_;
  monitoring::Metrics& metrics_;
  Mutex mutex_;
  std::unordered_map<std::string, Learned> learned_ GUARDED_BY(mutex_);  // by digest
  std::list<std::string> used_ GUARDED_BY(mutex_);                       // newest first
};

}  // namespace toolway::workers::call
