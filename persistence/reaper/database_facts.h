#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "persistence/reaper/elected_connection.h"

namespace toolway::persistence::reaper {

/// Every table that migrations make. We do not report what else is in the database.
inline constexpr std::array<std::string_view, 19> kOurTables{"calls",
                                                             "call_events",
                                                             "completions",
                                                             "blobs",
                                                             "call_alive",
                                                             "sessions",
                                                             "dead_events",
                                                             "recorded_batches",
                                                             "audit_log",
                                                             "audit_seals",
                                                             "approvals",
                                                             "api_keys",
                                                             "tool_specs",
                                                             "conversations",
                                                             "messages",
                                                             "conversation_calls",
                                                             "conversation_waiters",
                                                             "stream_layout",
                                                             "schema_migrations"};

/// `hidden`: of a role whose connections ours may not inspect.
inline constexpr std::array<std::string_view, 4> kConnectionStates{"active", "idle",
                                                                   "idle_in_transaction", "hidden"};

/// The state of Postgres, as far as our role may see it.
struct DatabaseFacts {
  std::array<std::uint64_t, kOurTables.size()>
      table_bytes{};  ///< with partitions, indexes and TOAST; 0: not there
  std::array<std::uint64_t, kConnectionStates.size()> connections{};
  /// Of the transactions that have written something, prepared ones included.
  std::chrono::duration<double> oldest_transaction{0};
};

/// The state of Postgres now. Errors: as ElectedConnection.
Result<DatabaseFacts> database_facts(ElectedConnection& connection);

}  // namespace toolway::persistence::reaper
