#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "bus/bus.h"
#include "bus/topology.h"
#include "extensions/services/service_desk.h"
#include "monitoring/metrics.h"
#include "monitoring/tracer.h"
#include "tools/executors/mock/mocks.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"
#include "tools/model/secrets.h"
#include "workers/doorkeeper.h"
#include "workers/threads/loop_leader.h"
#include "workers/threads/spawner.h"

namespace toolway::workers {

/// What a worker can run.
struct WorkerTools {
  // NOLINTNEXTLINE(google-explicit-constructor)
  WorkerTools(std::shared_ptr<const tools::model::Registry> native_tools,
              tools::model::ToolKinds spec_kinds = {},
              std::shared_ptr<const tools::executors::mock::Mocks> tool_mocks = nullptr)
      : natives(std::move(native_tools)),
        kinds(std::move(spec_kinds)),
        mocks(std::move(tool_mocks)) {}
  std::shared_ptr<const tools::model::Registry> natives;
  tools::model::ToolKinds kinds;  ///< for the tools of specs
  std::shared_ptr<const tools::executors::mock::Mocks>
      mocks;  ///< what replaces tools; null: nothing
};

struct WorkerOptions {
  std::string pool = "native";
  std::string worker_id;    ///< empty: made at start
  std::size_t slots = 128;  ///< calls held at once
  std::chrono::milliseconds merge_window{
      2};  ///< an attempt that ends within it merges Started into Completed
  /// Of the reports of one call, which are merged while they wait; nothing: Backlog::kProgressRate.
  std::optional<TokenBucket::Rate> progress_rate{};
  std::chrono::seconds alive_interval{10};
  std::chrono::seconds extend_interval = bus::kCallAckWait / 3;  ///< of deliveries
  std::chrono::seconds abandon_unextended{20};
  /// NATS must have answered for this long before a worker not heard from counts as gone.
  std::chrono::milliseconds settle_after_gap{3000};
  std::chrono::seconds drain_timeout{30};
  /// How long a call whose tool waits for answers keeps its slot, if the tool may be run again.
  std::chrono::seconds park_after{30};
  std::chrono::milliseconds cancel_grace{
      2000};  ///< how long a tool asked to stop may still take to return
  std::shared_ptr<const tools::model::Secrets> secrets =
      std::make_shared<const tools::model::Secrets>();
  /// Called once, on a thread of the worker, when the number of hanging tools means that only a
  /// new process helps: drain and exit non-zero. Must not block.
  std::function<void(std::string)> on_unhealthy{};
  /// What asks services about results; null: none may be asked.
  std::shared_ptr<extensions::services::ServiceDesk> services{};
  std::shared_ptr<monitoring::Tracer> tracer = monitoring::no_tracing();
  /// Of the bus's turns: runs quick tools between them. Null: threads run all tools.
  std::shared_ptr<threads::LoopLeader> leader{};
  /// Begins the threads that tools have to themselves.
  threads::Spawner spawner = threads::spawn_thread;
  /// An attempt's Started is stored before its tool runs, also of an idempotent one: what the tool
  /// writes elsewhere is fenced by the attempt's number, which must be its own.
  bool starts_first = false;
  /// Of a worker that runs turns: the models that it announces.
  std::vector<std::string> models{};
  /// Null: the policy alone says whether a call may start.
  std::shared_ptr<Doorkeeper> doorkeeper{};
};

/// Pulls the calls of a pool, runs each on a thread, writes its log, acks.
/// Runs until destroyed. Bus, metrics and registry must outlive it.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Pulls no more, gives back what has not started, waits for what runs (at
  /// most drain_timeout), then returns. Idempotent; blocks.
  virtual void drain() = 0;
};

}  // namespace toolway::workers
