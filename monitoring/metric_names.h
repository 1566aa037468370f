#pragma once

#include <array>
#include <string_view>

/// Every metric Toolway exports: name, type and help, in one place. The golden
/// file tests/golden/metrics.txt follows this list.
namespace toolway::monitoring {

enum class MetricType { kCounter, kGauge, kHistogram };

struct MetricDescription {
  std::string_view name;
  MetricType type;
  std::string_view help;
};

// Calls, as gateway and worker see them.
inline constexpr std::string_view kCallsAccepted = "toolway_calls_accepted_total";
inline constexpr std::string_view kCallsRefused = "toolway_calls_refused_total";
inline constexpr std::string_view kCallsCompleted = "toolway_calls_completed_total";
inline constexpr std::string_view kSubmitToStarted = "toolway_call_submit_to_started_seconds";
inline constexpr std::string_view kRun = "toolway_call_run_seconds";
inline constexpr std::string_view kSubmitToCompleted = "toolway_call_submit_to_completed_seconds";
inline constexpr std::string_view kSubmitToRecorded = "toolway_call_submit_to_recorded_seconds";
// Gateway.
inline constexpr std::string_view kSessionsOpen = "toolway_sessions_open";
inline constexpr std::string_view kFollowers = "toolway_live_followers";
inline constexpr std::string_view kRequestsInFlight = "toolway_http_requests_in_flight";
inline constexpr std::string_view kHttpRequest = "toolway_http_request_seconds";
inline constexpr std::string_view kGapsFilled = "toolway_live_gaps_filled_total";
inline constexpr std::string_view kCloseTimeouts = "toolway_gateway_close_timeouts_total";
inline constexpr std::string_view kCancels = "toolway_cancels_total";
inline constexpr std::string_view kReplays = "toolway_idempotent_replays_total";
inline constexpr std::string_view kRefusing = "toolway_guard_refusing";
inline constexpr std::string_view kUnrecorded = "toolway_guard_unrecorded_ratio";
inline constexpr std::string_view kLaneCalls = "toolway_calls_by_lane_total";
inline constexpr std::string_view kSharesWaiting = "toolway_shares_waiting_calls";
// Gateway: where specs come from.
inline constexpr std::string_view kSpecSourceUp = "toolway_spec_source_up";
inline constexpr std::string_view kSpecs = "toolway_specs";
inline constexpr std::string_view kSpecMistakes = "toolway_spec_mistakes_total";
// Worker.
inline constexpr std::string_view kSlots = "toolway_worker_slots";
inline constexpr std::string_view kSlotsUsed = "toolway_worker_slots_used";
inline constexpr std::string_view kTakeovers = "toolway_worker_takeovers_total";
inline constexpr std::string_view kPaused = "toolway_worker_paused";
inline constexpr std::string_view kAbandoned = "toolway_worker_abandoned_attempts";
// Collector.
inline constexpr std::string_view kCollectorLag = "toolway_collector_lag_messages";
inline constexpr std::string_view kBatchSize = "toolway_collector_batch_messages_total";
inline constexpr std::string_view kBatches = "toolway_collector_batches_total";
inline constexpr std::string_view kBatchTime = "toolway_collector_batch_seconds";
inline constexpr std::string_view kDeadEvents = "toolway_collector_dead_events_total";
inline constexpr std::string_view kStoreErrors = "toolway_store_errors_total";
// Collector: the reaper.
inline constexpr std::string_view kReaped = "toolway_reaped_total";
inline constexpr std::string_view kReaperLeader = "toolway_reaper_leader";
inline constexpr std::string_view kReaperWatched = "toolway_reaper_watched_calls";
inline constexpr std::string_view kReaperOldest = "toolway_reaper_oldest_incomplete_seconds";
// Bus, in every process.
inline constexpr std::string_view kPublishErrors = "toolway_bus_publish_errors_total";
inline constexpr std::string_view kReconnects = "toolway_bus_reconnects_total";
inline constexpr std::string_view kBuildInfo = "toolway_build_info";

inline constexpr std::array kMetrics{
    MetricDescription{kCallsAccepted, MetricType::kCounter, "Calls acknowledged by the bus, by tool and pool."},
    MetricDescription{kCallsRefused, MetricType::kCounter, "Requests for a call that were refused, by error code."},
    MetricDescription{kCallsCompleted, MetricType::kCounter, "Completions published, by tool, pool and outcome."},
    MetricDescription{kSubmitToStarted, MetricType::kHistogram, "From submission to the start of an attempt."},
    MetricDescription{kRun, MetricType::kHistogram, "One attempt, from start to end."},
    MetricDescription{kSubmitToCompleted, MetricType::kHistogram, "From submission to the completion's PubAck."},
    MetricDescription{kSubmitToRecorded, MetricType::kHistogram, "From submission to the completion's COMMIT."},
    MetricDescription{kSessionsOpen, MetricType::kGauge, "Open sessions known to this gateway."},
    MetricDescription{kFollowers, MetricType::kGauge, "SSE streams being followed."},
    MetricDescription{kRequestsInFlight, MetricType::kGauge, "HTTP requests being answered, SSE streams excluded."},
    MetricDescription{kHttpRequest, MetricType::kHistogram, "HTTP requests by route, SSE streams excluded."},
    MetricDescription{kGapsFilled, MetricType::kCounter, "Live events that were missed and fetched from the stream or the store."},
    MetricDescription{kCloseTimeouts, MetricType::kCounter, "Calls that were still under way when closing their session stopped waiting for them."},
    MetricDescription{kCancels, MetricType::kCounter, "Cancellations asked for, by what became of them."},
    MetricDescription{kReplays, MetricType::kCounter, "Calls answered by their Idempotency-Key, having been accepted before."},
    MetricDescription{kRefusing, MetricType::kGauge, "1 while this gateway refuses calls for that reason, else 0."},
    MetricDescription{kUnrecorded, MetricType::kGauge, "What is not recorded yet, as a part of what the stream keeps; at 0.5 calls are refused."},
    MetricDescription{kLaneCalls, MetricType::kCounter, "Calls acknowledged by the bus, by lane."},
    MetricDescription{kSharesWaiting, MetricType::kGauge, "Calls accepted by this gateway that were not delivered yet."},
    MetricDescription{kSpecSourceUp, MetricType::kGauge, "1 when the spec sources of a kind answer and hold no mistakes, else 0."},
    MetricDescription{kSpecs, MetricType::kGauge, "Specs in force, by kind of source."},
    MetricDescription{kSpecMistakes, MetricType::kCounter, "Mistakes found in specs, by kind of source."},
    MetricDescription{kSlots, MetricType::kGauge, "Calls this worker may hold at once."},
    MetricDescription{kSlotsUsed, MetricType::kGauge, "Calls this worker holds."},
    MetricDescription{kTakeovers, MetricType::kCounter, "Calls taken over from another attempt."},
    MetricDescription{kPaused, MetricType::kGauge, "1 while a worker pulls nothing, since too much of a stream is not recorded, else 0."},
    MetricDescription{kAbandoned, MetricType::kGauge, "Attempts over their limit whose tool has not returned yet."},
    MetricDescription{kCollectorLag, MetricType::kGauge, "Messages stored and not yet recorded, by stream."},
    MetricDescription{kBatchSize, MetricType::kCounter, "Messages recorded, by stream."},
    MetricDescription{kBatches, MetricType::kCounter, "Transactions committed."},
    MetricDescription{kBatchTime, MetricType::kHistogram, "One batch, from its first statement to COMMIT."},
    MetricDescription{kDeadEvents, MetricType::kCounter, "Messages set aside in dead_events."},
    MetricDescription{kStoreErrors, MetricType::kCounter, "Failed Postgres operations, each tried again."},
    MetricDescription{kReaped, MetricType::kCounter, "What the reaper did, by action."},
    MetricDescription{kReaperLeader, MetricType::kGauge, "1 in the collector that is the reaper, else 0."},
    MetricDescription{kReaperWatched, MetricType::kGauge, "Calls older than 15 s that are not completed, in the reaper."},
    MetricDescription{kReaperOldest, MetricType::kGauge, "Age of the oldest of them."},
    MetricDescription{kPublishErrors, MetricType::kCounter, "Publications that failed, by error code."},
    MetricDescription{kReconnects, MetricType::kCounter, "Times the connection to NATS came back."},
    MetricDescription{kBuildInfo, MetricType::kGauge, "1, with the version and the process as labels."},
};

}  // namespace toolway::monitoring
