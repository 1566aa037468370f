#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "monitoring/metrics.h"
#include "persistence/reaper/database_facts.h"
#include "persistence/reaper/incomplete_sessions.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::persistence::reaper {

/// The reaper's instruments. What only the reaper knows is 0 in a collector that is not.
class ReaperMetrics {
 public:
  explicit ReaperMetrics(monitoring::Metrics& metrics);

  void leading(bool leads);
  void acted(std::string_view action);
  /// It has completed the call.
  void completed(const v1::CallRequest& call, v1::Outcome outcome);
  void watched(std::size_t calls, std::optional<WallTime> oldest, WallTime now);
  void sessions(const IncompleteSessions& sessions);
  /// `oldest`: when the oldest of them was submitted.
  void approvals(std::size_t waiting, std::optional<WallTime> oldest, WallTime now);
  void database(const DatabaseFacts& facts);

 private:
  monitoring::Metrics& metrics_;
  monitoring::Gauge& leader_;
  monitoring::Gauge& watched_;
  monitoring::Gauge& oldest_;
  monitoring::Gauge& approvals_waiting_;
  monitoring::Gauge& approvals_oldest_;
  monitoring::Gauge& oldest_transaction_;
  std::array<monitoring::Gauge*, kIncompleteRanges.size()> sessions_{};
  std::array<monitoring::Gauge*, kOurTables.size()> tables_{};
  std::array<monitoring::Gauge*, kConnectionStates.size()> connections_{};
};

}  // namespace toolway::persistence::reaper
