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
  struct Recorded {
    std::string subject;
    std::string payload;
  };

  void apply(persistence::Batch& batch);
  /// Says what differs from `expected`, which every message was applied to once and in order.
  void compare(const Tables& expected, World& world) const;
  /// The messages that rows were made of, by sequence: calls; events and completions.
  const std::map<std::uint64_t, Recorded>& calls() const { return calls_; }
  const std::map<std::uint64_t, Recorded>& events() const { return events_; }

 private:
  struct Cell {
    std::uint64_t sequence = 0;
    std::string bytes;
  };
  std::map<std::string, Cell> rows_;  ///< by table and primary key
  std::map<std::uint64_t, Recorded> calls_;
  std::map<std::uint64_t, Recorded> events_;
};

/// The messages as the collector makes rows of them.
std::vector<persistence::Message> messages_of(const std::vector<bus::StoredMessage>& stored,
                                              persistence::Source source);

}  // namespace toolway::simulation
