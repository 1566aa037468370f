#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/store/store_reader.h"
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

  void apply(persistence::collector::Batch& batch);
  /// Says what differs from `expected`, which every message was applied to once and in order.
  void compare(const Tables& expected, World& world) const;
  /// As collectors answer and the reaper asks: the call is recorded, and its last event.
  bool knows(const std::string& call_id) const { return known_.contains(call_id); }
  /// Of a recorded call: whether it is a turn, or was made by one.
  bool is_of_turn(const std::string& call_id) const { return known_.at(call_id); }
  std::optional<persistence::store::RecordedEvent> last_event(const std::string& call_id) const;
  /// A completion, as mailboxes have it.
  struct Completion {
    std::string call_id;
    std::string session_key;
    std::int64_t at_us = 0;
  };
  /// In the order in which they were recorded.
  const std::vector<Completion>& mailbox() const { return mailbox_; }
  /// When the call ended; nothing: that is not recorded.
  std::optional<std::int64_t> ended(const std::string& call_id) const;
  /// The messages that rows were made of, by sequence: calls; events and completions.
  const std::map<std::uint64_t, Recorded>& calls() const { return calls_; }
  const std::map<std::uint64_t, Recorded>& events() const { return events_; }

 private:
  struct Cell {
    std::uint64_t sequence = 0;
    std::string bytes;
  };
  /// What the query of `last_event` finds of a call.
  struct Newest {
    Cell completion;
    Cell event;
    Cell alive;  ///< the whole message
  };
  void note(persistence::collector::Table table, const Recorded& recorded, std::uint64_t sequence);

  std::map<std::string, Cell> rows_;   ///< by table and primary key
  std::map<std::string, bool> known_;  ///< whether it is a turn, or of one
  std::map<std::string, Newest> newest_;
  std::map<std::uint64_t, Recorded> calls_;
  std::map<std::uint64_t, Recorded> events_;
  std::vector<Completion> mailbox_;
  std::map<std::string, std::int64_t> ended_;
};

/// The messages as the collector makes rows of them.
std::vector<persistence::collector::Message> messages_of(
    const std::vector<bus::StoredMessage>& stored, persistence::collector::Source source);

}  // namespace toolway::simulation
