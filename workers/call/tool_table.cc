#include "workers/call/tool_table.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/mutex.h"
#include "base/try.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"
#include "tools/executors/kind_types.h"
#include "tools/native/native_tool.h"
#include "tools/specs/reader.h"

namespace toolway::workers::call {
namespace {

/// The counter kept at `place`, made by `make` when there is none yet.
template <typename Make>
monitoring::Counter& kept(std::atomic<monitoring::Counter*>& place, Make make) {
  monitoring::Counter* counter = place.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &make();
    place.store(counter, std::memory_order_release);
  }
  return *counter;
}

}  // namespace

ToolEntry::ToolEntry(Result<tools::model::RegisteredToolPtr> tool, std::string name,
                     std::string pool, monitoring::Metrics& metrics)
    : tool_(std::move(tool)),
      name_(std::move(name)),
      pool_(std::move(pool)),
      metrics_(metrics),
      submit_to_started_(metrics.histogram(monitoring::kSubmitToStarted, {name_, pool_})),
      submit_to_completed_(metrics.histogram(monitoring::kSubmitToCompleted, {name_, pool_})),
      run_(metrics.histogram(monitoring::kRun, {name_, pool_})),
      retries_(metrics.counter(monitoring::kRetries, monitoring::CallKey{name_, pool_})) {}

void ToolEntry::ran(std::chrono::nanoseconds time, const TraceContext& trace) {
  run_.observe(time, trace);
  const std::int64_t before = typical_run_ns_.load(std::memory_order_relaxed);
  typical_run_ns_.store(before + (time.count() - before) / 8, std::memory_order_relaxed);
}

void ToolEntry::count(const Orders& orders, std::chrono::nanoseconds since_submitted,
                      const TraceContext& trace) {
  if (orders.run) submit_to_started_.observe(since_submitted, trace);
  if (orders.attempt_ended && orders.attempt_ended->error == AttemptEnd::Error::kCounted) {
    attempt_failed(orders.attempt_ended->error_code);
  }
  if (orders.completed) {
    completed(*orders.completed);
    submit_to_completed_.observe(since_submitted, trace);
  }
  if (orders.retried) retries_.add();
  if (orders.parked) metrics_.counter(monitoring::kParked).add();
  if (orders.took_over) metrics_.counter(monitoring::kTakeovers).add();
}

void ToolEntry::completed(v1::Outcome outcome) {
  kept(completed_[static_cast<std::size_t>(outcome)], [&]() -> monitoring::Counter& {
    return metrics_.counter(monitoring::kCallsCompleted,
                            {name_, pool_, proto::outcome_name(outcome)});
  }).add();
}

void ToolEntry::attempt_failed(std::string_view code) {
  std::size_t index = 0;
  while (index < kCodes && code_name(static_cast<ErrorCode>(index)) != code) ++index;
  kept(errors_[index], [&]() -> monitoring::Counter& {
    return metrics_.counter(
        monitoring::kAttemptErrors,
        {{"tool", name_}, {"pool", pool_}, {"code", index < kCodes ? code : "tool_error"}});
  }).add();
}

ToolTable::ToolTable(WorkerTools tools, std::string pool, monitoring::Metrics& metrics)
    : tools_(std::move(tools)), pool_(std::move(pool)), metrics_(metrics) {}

ToolEntryPtr ToolTable::find(const v1::CallRequest& request) {
  const auto& labels = request.labels();
  const MutexLock lock(mutex_);
  // A call from before digests, or from a test, names a native tool.
  const std::string& digest = request.spec_digest();
  const std::string key = digest.empty() ? proto::qualified_name(labels) : digest;
  if (const auto found = learned_.find(key); found != learned_.end()) {
    used_.splice(used_.begin(), used_, found->second.place);
    return found->second.entry;
  }
  auto native = tools_.natives->find(labels.namespace_(), labels.tool());
  const bool is_it = native && (digest.empty() || native->digest == digest);
  if (!is_it && !digest.empty()) return nullptr;
  auto made =
      entry(request, is_it ? Result<tools::model::RegisteredToolPtr>(as_mocked(std::move(native)))
                           : fail(ErrorCode::kUnknownTool,
                                  fmt::format("no worker of pool '{}' has tool '{}.{}'", pool_,
                                              labels.namespace_(), labels.tool())));
  if (!made->tool()) return made;
  used_.push_front(key);
  learned_.emplace(key, Learned{made, used_.begin()});
  return made;
}

ToolEntryPtr ToolTable::learn(const v1::CallRequest& request, const Result<std::string>& document) {
  if (!document) return entry(request, fail(document.error()));
  auto made = entry(request, make(request, *document));
  if (!made->tool()) {
    spdlog::error("tool {}.{}: {}", request.labels().namespace_(), request.labels().tool(),
                  made->why_not().message);
  }
  const MutexLock lock(mutex_);
  if (const auto found = learned_.find(request.spec_digest()); found != learned_.end()) {
    return found->second.entry;  // two calls asked at once
  }
  used_.push_front(request.spec_digest());
  learned_.emplace(request.spec_digest(), Learned{made, used_.begin()});
  if (used_.size() > kMaxLearnedTools) {
    learned_.erase(used_.back());
    used_.pop_back();
  }
  return made;
}

ToolEntryPtr ToolTable::entry(const v1::CallRequest& request,
                              Result<tools::model::RegisteredToolPtr> tool) {
  // What this worker does not run gets no series of its own.
  const std::string name = tool ? proto::qualified_name(request.labels()) : std::string("unknown");
  return std::make_shared<ToolEntry>(std::move(tool), name, pool_, metrics_);
}

Result<tools::model::RegisteredToolPtr> ToolTable::make(const v1::CallRequest& request,
                                                        const std::string& document) const {
  ASSIGN_OR_RETURN(auto spec,
                   tools::specs::spec_of_document(document, tools::executors::kind_types()));
  if (tools::model::digest(spec) != request.spec_digest() || spec.name != request.labels().tool() ||
      spec.ns != request.labels().namespace_()) {
    return fail(ErrorCode::kSpecUnavailable,
                fmt::format("the spec stored as {} is a different one", request.spec_digest()));
  }
  if (tools_.mocks) {
    if (auto mock = tools_.mocks->instead_of(spec))
      return tools::model::register_tool(std::move(mock), tools::model::SchemaChecks::kByRun);
  }
  auto tool = make_real(std::move(spec));
  RETURN_IF_ERROR(tool);
  return tools::model::register_tool(tools_.mocks ? tools_.mocks->recorded(*std::move(tool))
                                                  : *std::move(tool));
}

Result<std::shared_ptr<const tools::model::Tool>> ToolTable::make_real(
    tools::model::Spec spec) const {
  if (spec.kind != tools::model::Kind::kNative)
    return tools::model::make_tool(tools_.kinds, std::move(spec));
  const auto native = tools_.natives->find(spec.ns, spec.name);
  if (!native) {
    return fail(ErrorCode::kUnknownTool,
                fmt::format("no worker of pool '{}' has the native tool '{}'", pool_,
                            spec.qualified_name()));
  }
  return tools::native::with_spec(native->tool, std::move(spec));
}

tools::model::RegisteredToolPtr ToolTable::as_mocked(tools::model::RegisteredToolPtr native) const {
  return tools_.mocks ? tools_.mocks->over(std::move(native)) : native;
}

}  // namespace toolway::workers::call
