#pragma once

#include <string_view>

/// The name of every metric that Toolway exports; type, labels and meaning are in metric_table.cc,
/// and docs/metrics.md is made from there.
namespace toolway::monitoring {

// Calls, as gateway and worker see them.
inline constexpr std::string_view kCallsAccepted = "toolway_calls_accepted_total";
inline constexpr std::string_view kCallsRefused = "toolway_calls_refused_total";
inline constexpr std::string_view kCallsCompleted = "toolway_calls_completed_total";
inline constexpr std::string_view kSubmitToStarted = "toolway_call_submit_to_started_seconds";
inline constexpr std::string_view kRun = "toolway_call_run_seconds";
inline constexpr std::string_view kSubmitToCompleted = "toolway_call_submit_to_completed_seconds";
inline constexpr std::string_view kSubmitToRecorded = "toolway_call_submit_to_recorded_seconds";
inline constexpr std::string_view kAttemptErrors = "toolway_attempt_errors_total";
inline constexpr std::string_view kRetries = "toolway_retries_total";
// Gateway.
inline constexpr std::string_view kSessionsOpen = "toolway_sessions_open";
inline constexpr std::string_view kSessionRequests = "toolway_session_requests_total";
inline constexpr std::string_view kSessionMemory = "toolway_sessions_memory_bytes";
inline constexpr std::string_view kIncompleteCalls = "toolway_sessions_incomplete";
inline constexpr std::string_view kMemoryHeld = "toolway_gateway_memory_held_bytes";
inline constexpr std::string_view kLoopDelay = "toolway_gateway_loop_delay_seconds";
inline constexpr std::string_view kFollowers = "toolway_live_followers";
inline constexpr std::string_view kRequestsInFlight = "toolway_http_requests_in_flight";
inline constexpr std::string_view kConnections = "toolway_http_connections";
inline constexpr std::string_view kConnectionsEvicted = "toolway_http_connections_evicted_total";
inline constexpr std::string_view kRequestBytes = "toolway_http_request_bytes";
inline constexpr std::string_view kHttpRequest = "toolway_http_request_seconds";
inline constexpr std::string_view kHttpRequests = "toolway_http_requests_total";
inline constexpr std::string_view kGapsFilled = "toolway_live_gaps_filled_total";
inline constexpr std::string_view kCloseTimeouts = "toolway_gateway_close_timeouts_total";
inline constexpr std::string_view kCancels = "toolway_cancels_total";
inline constexpr std::string_view kReplays = "toolway_idempotent_replays_total";
inline constexpr std::string_view kRefusing = "toolway_guard_refusing";
inline constexpr std::string_view kUnrecorded = "toolway_guard_unrecorded_ratio";
inline constexpr std::string_view kLaneCalls = "toolway_calls_by_lane_total";
inline constexpr std::string_view kSharesWaiting = "toolway_shares_waiting_calls";
inline constexpr std::string_view kQueueDepth = "toolway_queue_depth";
inline constexpr std::string_view kQueueOldest = "toolway_queue_oldest_seconds";
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
inline constexpr std::string_view kCollectorLagTime = "toolway_collector_lag_seconds";
inline constexpr std::string_view kBatchSize = "toolway_collector_batch_messages_total";
inline constexpr std::string_view kBatches = "toolway_collector_batches_total";
inline constexpr std::string_view kBatchTime = "toolway_collector_batch_seconds";
inline constexpr std::string_view kDeadEvents = "toolway_collector_dead_events_total";
inline constexpr std::string_view kStoreErrors = "toolway_store_errors_total";
inline constexpr std::string_view kStoreSize = "toolway_store_bytes";
inline constexpr std::string_view kStoreConnections = "toolway_store_connections";
inline constexpr std::string_view kStoreOldest = "toolway_store_oldest_transaction_seconds";
// Collector: the reaper.
inline constexpr std::string_view kReaped = "toolway_reaped_total";
inline constexpr std::string_view kReaperLeader = "toolway_reaper_leader";
inline constexpr std::string_view kReaperWatched = "toolway_reaper_watched_calls";
inline constexpr std::string_view kReaperOldest = "toolway_reaper_oldest_incomplete_seconds";
// Bus, in every process.
inline constexpr std::string_view kBusConnected = "toolway_bus_connected";
inline constexpr std::string_view kReconnects = "toolway_bus_reconnects_total";
inline constexpr std::string_view kPublish = "toolway_bus_publish_seconds";
inline constexpr std::string_view kPublishErrors = "toolway_bus_publish_errors_total";
inline constexpr std::string_view kStreamMessages = "toolway_stream_messages";
inline constexpr std::string_view kStreamBytes = "toolway_stream_bytes";
inline constexpr std::string_view kStreamLimit = "toolway_stream_limit_bytes";
inline constexpr std::string_view kDurability = "toolway_durability_info";
// The event loop, in every process.
inline constexpr std::string_view kLongestTurn = "toolway_loop_longest_turn_seconds";
inline constexpr std::string_view kLongTurns = "toolway_loop_long_turns_total";
// Clock, in every process.
inline constexpr std::string_view kClockOffset = "toolway_clock_offset_seconds";
// Telemetry itself.
inline constexpr std::string_view kSpansExported = "toolway_trace_spans_total";
inline constexpr std::string_view kScrape = "toolway_scrape_seconds";
inline constexpr std::string_view kSeriesDropped = "toolway_series_over_bound_total";
inline constexpr std::string_view kBuildInfo = "toolway_build_info";
// Process, as Prometheus' clients name them.
inline constexpr std::string_view kProcessCpu = "process_cpu_seconds_total";
inline constexpr std::string_view kProcessResident = "process_resident_memory_bytes";
inline constexpr std::string_view kProcessVirtual = "process_virtual_memory_bytes";
inline constexpr std::string_view kProcessFds = "process_open_fds";
inline constexpr std::string_view kProcessMaxFds = "process_max_fds";
inline constexpr std::string_view kProcessThreads = "process_threads";
inline constexpr std::string_view kProcessStart = "process_start_time_seconds";

}  // namespace toolway::monitoring
