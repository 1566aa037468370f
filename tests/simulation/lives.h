#pragma once

#include <memory>
#include <string>

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

/// A worker: the real one, with time and tools that are the world's.
class WorkerLife final : public Life {
 public:
  WorkerLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
             std::shared_ptr<const tools::model::Registry> tools);
  ~WorkerLife() override { die(); }
  void die() override;

 private:
  void arm();

  const NodeClock& node_clock_;
  std::unique_ptr<workers::pool::CallWorker> worker_;
  Micros armed_ = Micros::max();
};

}  // namespace toolway::simulation
