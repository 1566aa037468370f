#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "persistence/collector/inbox.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// A collector: the real batches and rows, tables in memory, and the loops of
/// persistence/collector/collector.cc and lookup.cc, whose threads and connections cannot be here.
class CollectorLife final : public Life {
 public:
  CollectorLife(const Surroundings& around, const std::string& name, const Clock& clock,
                Tables& tables);
  void die() override;

 private:
  using PulledMessage = std::vector<persistence::collector::PulledMessage>;
  void take(bus::Delivery delivery, persistence::collector::Source source);
  void write();
  void commit(const std::shared_ptr<PulledMessage>& held);
  void recorded(PulledMessage& held);
  void answer(const std::shared_ptr<bus::Request>& request);

  Tables& tables_;
  std::array<std::unique_ptr<bus::PullConsumer>, 2> consumers_;  ///< CALLS, EVENTS
  std::unique_ptr<bus::Subscription> lookups_;
  PulledMessage held_;
  bool writing_ = false;
};

}  // namespace toolway::simulation
