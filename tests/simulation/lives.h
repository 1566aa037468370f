#pragma once

#include <memory>
#include <string>

#include "tests/simulation/fiber_executor.h"
#include "tests/simulation/node_bus.h"
#include "workers/pool/call_worker.h"

namespace toolway::simulation {

/// One life of one process with its bus; what it was made of outlives it until the schedule ends.
class Life {
 public:
  Life(const Surroundings& around, const std::string& name, const Clock& clock)
      : around_(around),
        process_(std::make_shared<Process>(around, name)),
        bus_(around, process_),
        clock_(clock) {}
  virtual ~Life() = default;

  Process& process() { return *process_; }
  NodeBus& bus() { return bus_; }
  virtual void die() { process_->die(); }

 protected:
  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus bus_;
  const Clock& clock_;
};

/// One for all schedules: making it costs more than a schedule.
monitoring::Metrics& metrics_of_lives();

/// A process with a real worker in it, whose time is the world's.
class WorkingLife : public Life {
 public:
  WorkingLife(const Surroundings& around, const std::string& name, const NodeClock& clock)
      : Life(around, name, clock), node_clock_(clock) {}
  void die() override;

 protected:
  /// Starts the worker; what `options` and `executor` refer to outlives it, by a call of `die()`.
  void work(std::shared_ptr<const tools::model::Registry> tools, workers::WorkerOptions options,
            std::shared_ptr<FiberExecutor> executor);
  bool lives() const { return worker_ != nullptr; }

  const NodeClock& node_clock_;

 private:
  void arm();

  std::unique_ptr<workers::pool::CallWorker> worker_;
  Micros armed_ = Micros::max();
};

/// A worker of pool `native`, with tools that are the world's.
class WorkerLife final : public WorkingLife {
 public:
  WorkerLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
             std::shared_ptr<const tools::model::Registry> tools);
  ~WorkerLife() override { die(); }
};

}  // namespace toolway::simulation
