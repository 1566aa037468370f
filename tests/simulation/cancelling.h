#pragma once

#include <memory>
#include <optional>
#include <string>

#include "persistence/store/store_reader.h"
#include "tests/simulation/node_bus.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// One cancellation at a gateway: the real plan (gateway/calls/cancel_plan.h), and the loop of
/// gateway/calls/cancel.cc, whose coroutine runs on real timers and so cannot run here.
class Cancelling : public std::enable_shared_from_this<Cancelling> {
 public:
  Cancelling(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
             const Clock& clock, const Tables& tables, persistence::RecordedCall call);

  void begin() { read(); }

 private:
  void read();
  void look_up();
  void decide(const std::optional<v1::CallEvent>& last, std::uint64_t sequence);
  void publish(const v1::CallEvent& event, std::uint64_t expected_last);
  void tell(const std::string& worker_id);
  void again(Micros delay);

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Clock& clock_;
  const Tables& tables_;
  const persistence::RecordedCall call_;
  const std::string subject_;
  const MonotonicTime deadline_;
  MonotonicTime asked_{};
};

}  // namespace toolway::simulation
