#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "persistence/batch_writer.h"
#include "tests/simulation/world.h"

namespace toolway::simulation {

/// The tables of Postgres, as far as a batch changes them: rows are inserted if absent, or
/// follow the highest sequence.
class Tables {
 public:
  void apply(persistence::Batch& batch);
  /// Says what differs from `expected`, which every message was applied to once and in order.
  void compare(const Tables& expected, World& world) const;
  /// The subjects of the events and completions, by sequence.
  const std::map<std::uint64_t, std::string>& events() const { return events_; }

 private:
  struct Cell {
    std::uint64_t sequence = 0;
    std::string bytes;
  };
  std::map<std::string, Cell> rows_;  ///< by table and primary key
  std::map<std::uint64_t, std::string> events_;
};

/// The messages as the collector makes rows of them.
std::vector<persistence::Message> messages_of(const std::vector<bus::StoredMessage>& stored,
                                              persistence::Source source);

}  // namespace toolway::simulation
