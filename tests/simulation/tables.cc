#include "tests/simulation/tables.h"

namespace toolway::simulation {

using persistence::Table;

void Tables::apply(persistence::Batch& batch) {
  for (std::size_t i = 0; i < persistence::kTables; ++i) {
    const auto table = static_cast<Table>(i);
    const auto& from = batch.rows.table(table);
    for (const auto& row : from.rows) {
      std::string key = fmt::format("{}/{:02x}", i, fmt::join(row.key, ""));
      // The primary keys of the migrations.
      if (table == Table::kEvents) key += fmt::format("/{}", row.sequence);
      const auto& message = batch.messages[row.message];
      const Recorded recorded{std::string(message.subject), std::string(message.payload)};
      if (table == Table::kCalls) calls_[row.sequence] = recorded;
      if (table == Table::kEvents || table == Table::kCompletions) events_[row.sequence] = recorded;
      Cell cell{row.sequence, from.bytes.substr(row.offset, row.length)};
      const auto [place, added] = rows_.try_emplace(std::move(key), cell);
      const bool newest = table == Table::kAlive || table == Table::kSessions;
      if (!added && newest && place->second.sequence < cell.sequence) place->second = std::move(cell);
    }
  }
}

void Tables::compare(const Tables& expected, World& world) const {
  const std::string calls = fmt::format("{}/", static_cast<int>(Table::kCalls));
  for (const auto& [key, cell] : expected.rows_) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) {
      world.violation("row {} (sequence {}) is not in the tables", key, cell.sequence);
    } else if (!key.starts_with(calls) && found->second.bytes != cell.bytes) {
      // Of several publications of a call, the first one recorded stays.
      world.violation("row {} is not what the stream says", key);
    }
  }
  for (const auto& [key, cell] : rows_) {
    if (!expected.rows_.contains(key)) world.violation("row {} stands for nothing on a stream", key);
  }
}

std::vector<persistence::Message> messages_of(const std::vector<bus::StoredMessage>& stored,
                                              persistence::Source source) {
  std::vector<persistence::Message> messages;
  for (const auto& message : stored) {
    messages.push_back({source, message.subject, message.payload, 1, message.sequence, false});
  }
  return messages;
}

}  // namespace toolway::simulation
