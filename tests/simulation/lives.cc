#include "tests/simulation/lives.h"

#include <stdexcept>

namespace toolway::simulation {

monitoring::Metrics& metrics_of_lives() {
  static const auto all = monitoring::make_metrics("simulation");
  return *all;
}

WorkerLife::WorkerLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
                       std::shared_ptr<const tools::model::Registry> tools)
    : WorkingLife(around, name, clock) {
  workers::WorkerOptions options;
  options.pool = "native";
  options.worker_id = name;
  options.park_after = std::chrono::seconds(5);  // so that answers often come later
  options.slots = 3;
  work(std::move(tools), std::move(options), std::make_shared<FiberExecutor>(around, process_));
}

void WorkingLife::work(std::shared_ptr<const tools::model::Registry> tools,
                       workers::WorkerOptions options, std::shared_ptr<FiberExecutor> executor) {
  auto started = workers::pool::CallWorker::start(
      bus_, metrics_of_lives(), std::move(tools), node_clock_, std::move(options),
      {workers::pool::TimePasses::kWhenTold, std::move(executor)});
  if (!started) throw std::logic_error(started.error().message);
  worker_ = std::move(*started);
  process_->then = [this] { arm(); };
  arm();
}

void WorkingLife::arm() {
  const MonotonicTime due = worker_->next_due();
  if (due == MonotonicTime::max()) return;
  const Micros at = std::max(node_clock_.world_time(due), around_.world.now());
  if (at >= armed_) return;
  armed_ = at;
  // Timers are a little late, always.
  const Micros late = around_.world.random().between(Micros(1), Micros(300));
  process_->after(at - around_.world.now() + late, [this, at] {
    if (armed_ == at) armed_ = Micros::max();
    worker_->fire_due();
  });
}

void WorkingLife::die() {
  if (!worker_) return;
  process_->die();
  worker_.reset();
}

}  // namespace toolway::simulation
