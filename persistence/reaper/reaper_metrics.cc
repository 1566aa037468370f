#include "persistence/reaper/reaper_metrics.h"

#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"

namespace toolway::persistence::reaper {
namespace {

/// Everything that the reaper does; those of reap.h, and its upkeep.
constexpr std::array<std::string_view, 12> kActions{
    "retry",   "silent",  "cancelled",          "queue_limit", "total_limit", "lost",
    "durable", "expired", "approval_requested", "approved",    "denied",      "approval_expired"};

}  // namespace

ReaperMetrics::ReaperMetrics(monitoring::Metrics& metrics)
    : metrics_(metrics),
      leader_(metrics.gauge(monitoring::kReaperLeader)),
      watched_(metrics.gauge(monitoring::kReaperWatched)),
      oldest_(metrics.gauge(monitoring::kReaperOldest)),
      approvals_waiting_(metrics.gauge(monitoring::kApprovalsWaiting)),
      approvals_oldest_(metrics.gauge(monitoring::kApprovalsOldest)),
      oldest_transaction_(metrics.gauge(monitoring::kStoreOldest)) {
  // From the start, so that the first of each is seen as an increase.
  for (const auto action : kActions) metrics.counter(monitoring::kReaped, "action", action);
  const auto gauges = [&](auto& made, monitoring::GaugeName name, std::string_view label,
                          const auto& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      made[i] = &metrics.gauge(name, label, values[i]);
  };
  gauges(sessions_, monitoring::kIncompleteCalls, "calls", kIncompleteRanges);
  gauges(tables_, monitoring::kStoreSize, "table", kOurTables);
  gauges(connections_, monitoring::kStoreConnections, "state", kConnectionStates);
}

void ReaperMetrics::leading(bool leads) {
  leader_.set(leads ? 1 : 0);
  if (leads) return;
  watched(0, std::nullopt, {});
  sessions({});
  approvals(0, std::nullopt, {});
  database({});
}

void ReaperMetrics::acted(std::string_view action) {
  metrics_.counter(monitoring::kReaped, "action", action).add();
}

void ReaperMetrics::completed(const v1::CallRequest& call, v1::Outcome outcome) {
  const std::string tool = proto::qualified_name(call.labels());
  metrics_
      .counter(monitoring::kCallsCompleted,
               monitoring::CallKey{
                   .tool = tool, .pool = call.pool(), .outcome = proto::outcome_name(outcome)})
      .add();
}

void ReaperMetrics::watched(std::size_t calls, std::optional<WallTime> oldest, WallTime now) {
  watched_.set(static_cast<double>(calls));
  oldest_.set(oldest ? std::chrono::duration<double>(now - *oldest).count() : 0);
}

void ReaperMetrics::approvals(std::size_t waiting, std::optional<WallTime> oldest, WallTime now) {
  approvals_waiting_.set(static_cast<double>(waiting));
  approvals_oldest_.set(oldest ? std::chrono::duration<double>(now - *oldest).count() : 0);
}

void ReaperMetrics::sessions(const IncompleteSessions& sessions) {
  for (std::size_t i = 0; i < sessions.size(); ++i)
    sessions_[i]->set(static_cast<double>(sessions[i]));
}

void ReaperMetrics::database(const DatabaseFacts& facts) {
  for (std::size_t i = 0; i < tables_.size(); ++i)
    tables_[i]->set(static_cast<double>(facts.table_bytes[i]));
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    connections_[i]->set(static_cast<double>(facts.connections[i]));
  }
  oldest_transaction_.set(facts.oldest_transaction.count());
}

}  // namespace toolway::persistence::reaper
