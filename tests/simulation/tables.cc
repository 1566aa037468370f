#include "tests/simulation/tables.h"

#include <utility>

#include "base/reserved_names.h"
#include "persistence/store/last_event.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/sql_rows.h"

namespace toolway::simulation {

using persistence::collector::Table;

namespace {

/// `event.<shard>.<session>.<call>`.
std::string session_of(const std::string& subject) {
  const auto end = subject.rfind('.');
  const auto begin = subject.rfind('.', end - 1) + 1;
  return subject.substr(begin, end - begin);
}

}  // namespace

std::optional<std::int64_t> Tables::ended(const std::string& call_id) const {
  const auto found = ended_.find(call_id);
  return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

void Tables::note(Table table, const Recorded& recorded, std::uint64_t sequence) {
  if (table == Table::kCalls) {
    const auto call = *proto::decode_call(recorded.payload);
    known_.try_emplace(call.call_id(), !call.parent_call_id().empty() ||
                                           call.labels().namespace_() == kTurnNamespace);
    return;
  }
  if (table != Table::kEvents && table != Table::kCompletions && table != Table::kAlive) return;
  const auto event = *proto::decode_event(recorded.payload);
  Newest& newest = newest_[event.call_id()];
  if (table == Table::kCompletions && ended_.try_emplace(event.call_id(), event.time_us()).second)
    mailbox_.push_back({event.call_id(), session_of(recorded.subject), event.time_us()});
  Cell& cell = table == Table::kEvents  ? newest.event
               : table == Table::kAlive ? newest.alive
                                        : newest.completion;
  if (sequence > cell.sequence) cell = {sequence, recorded.payload};
}

std::optional<persistence::store::RecordedEvent> Tables::last_event(
    const std::string& call_id) const {
  const auto found = newest_.find(call_id);
  if (found == newest_.end()) return std::nullopt;
  const Newest& newest = found->second;
  std::vector<std::pair<std::string, persistence::postgres::SqlValue>> row{{"result", {}}};
  const auto add = [&row](const Cell& cell, const std::string& name,
                          persistence::postgres::SqlValue value) {
    row.emplace_back(name,
                     cell.sequence > 0 ? std::move(value) : persistence::postgres::SqlValue());
  };
  const auto place = [&add](const Cell& cell, const std::string& name) {
    add(cell, name + "_incarnation", std::int64_t{1});
    add(cell, name + "_sequence", static_cast<std::int64_t>(cell.sequence));
  };
  add(newest.completion, "completion", newest.completion.bytes);
  place(newest.completion, "completion");
  add(newest.event, "event", newest.event.bytes);
  place(newest.event, "event");
  v1::CallEvent alive;
  if (newest.alive.sequence > 0) alive = *proto::decode_event(newest.alive.bytes);
  add(newest.alive, "alive_attempt", std::int64_t{alive.attempt()});
  add(newest.alive, "alive_seq", std::int64_t{alive.seq()});
  add(newest.alive, "alive_time", alive.time_us());
  place(newest.alive, "alive");
  return *persistence::store::last_event(test::sql_row(std::move(row)));
}

void Tables::apply(persistence::collector::Batch& batch) {
  for (std::size_t i = 0; i < persistence::collector::kTables; ++i) {
    const auto table = static_cast<Table>(i);
    const auto& from = batch.rows.table(table);
    for (const auto& row : from.rows) {
      std::string key = fmt::format("{}/{:02x}", i, fmt::join(row.key, ""));
      // The primary keys of the migrations.
      if (table == Table::kEvents || table == Table::kAudit)
        key += fmt::format("/{}", row.sequence);
      const auto& message = batch.messages[row.message];
      const Recorded recorded{std::string(message.subject), std::string(message.payload)};
      note(table, recorded, row.sequence);
      if (table == Table::kCalls) calls_[row.sequence] = recorded;
      if (table == Table::kEvents || table == Table::kCompletions) events_[row.sequence] = recorded;
      Cell cell{row.sequence, from.bytes.substr(row.offset, row.length)};
      const auto [place, added] = rows_.try_emplace(std::move(key), cell);
      const bool newest = table == Table::kAlive || table == Table::kSessions ||
                          table == Table::kApprovals || table == Table::kApiKeys;
      if (!added && newest && place->second.sequence < cell.sequence)
        place->second = std::move(cell);
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
    if (!expected.rows_.contains(key)) world.violation("row {} matches nothing on a stream", key);
  }
}

std::vector<persistence::collector::Message> messages_of(
    const std::vector<bus::StoredMessage>& stored, persistence::collector::Source source) {
  std::vector<persistence::collector::Message> messages;
  for (const auto& message : stored) {
    messages.push_back({source, message.subject, message.payload, 1, message.sequence, false});
  }
  return messages;
}

}  // namespace toolway::simulation
