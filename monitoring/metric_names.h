#pragma once

#include <string_view>

/// The name of every metric that Toolway exports, with its type; labels and meaning are in
/// metric_table.cc, and docs/metrics.md is made from there.
namespace toolway::monitoring {

enum class MetricType { kCounter, kGauge, kHistogram };
/// Whether a value changes when something happens, or is read when metrics are collected
/// (process_collectable.h). No instrument can be requested for the latter.
enum class MetricSource { kInstrument, kCollected };
/// What a histogram's buckets count.
enum class MetricUnit { kSeconds, kTokens };

/// A metric's name, which only takes constants: a counter cannot be requested by a gauge's name.
template <MetricType kOf, MetricSource kFrom = MetricSource::kInstrument,
          MetricUnit kIn = MetricUnit::kSeconds>
class MetricName {
 public:
  static constexpr MetricType kType = kOf;
  static constexpr MetricSource kSource = kFrom;
  static constexpr MetricUnit kUnit = kIn;
  explicit consteval MetricName(std::string_view text) : text_(text) {}
  constexpr std::string_view text() const { return text_; }
  constexpr operator std::string_view() const { return text_; }
  friend constexpr bool operator==(std::string_view text, MetricName name) {
    return text == name.text_;
  }

 private:
  std::string_view text_;
};
using CounterName = MetricName<MetricType::kCounter>;
using GaugeName = MetricName<MetricType::kGauge>;
using HistogramName = MetricName<MetricType::kHistogram>;
using TokensName =
    MetricName<MetricType::kHistogram, MetricSource::kInstrument, MetricUnit::kTokens>;
using CollectedCounterName = MetricName<MetricType::kCounter, MetricSource::kCollected>;
using CollectedGaugeName = MetricName<MetricType::kGauge, MetricSource::kCollected>;

// Calls, as gateway and worker see them.
inline constexpr CounterName kCallsAccepted("toolway_calls_accepted_total");
inline constexpr CounterName kCallsRefused("toolway_calls_refused_total");
inline constexpr CounterName kCallsCompleted("toolway_calls_completed_total");
inline constexpr HistogramName kSubmitToStarted("toolway_call_submit_to_started_seconds");
inline constexpr HistogramName kRun("toolway_call_run_seconds");
inline constexpr HistogramName kSubmitToCompleted("toolway_call_submit_to_completed_seconds");
inline constexpr HistogramName kSubmitToRecorded("toolway_call_submit_to_recorded_seconds");
inline constexpr CounterName kAttemptErrors("toolway_attempt_errors_total");
inline constexpr CounterName kRetries("toolway_retries_total");
inline constexpr CounterName kExtensionDecisions("toolway_extension_decisions_total");
inline constexpr CounterName kLimited("toolway_limited_total");
inline constexpr CounterName kToolBusy("toolway_tool_busy_total");
inline constexpr GaugeName kPermitsHeld("toolway_permits_held");
inline constexpr HistogramName kExtensionTime("toolway_extension_seconds");
// Gateway.
inline constexpr CounterName kAuth("toolway_auth_total");
inline constexpr GaugeName kSessionsOpen("toolway_sessions_open");
inline constexpr CounterName kSessionRequests("toolway_session_requests_total");
inline constexpr GaugeName kSessionMemory("toolway_sessions_memory_bytes");
inline constexpr GaugeName kIncompleteCalls("toolway_sessions_incomplete");
inline constexpr GaugeName kMemoryHeld("toolway_gateway_memory_held_bytes");
inline constexpr GaugeName kLoopDelay("toolway_gateway_loop_delay_seconds");
inline constexpr GaugeName kFollowers("toolway_live_followers");
inline constexpr GaugeName kRequestsInFlight("toolway_http_requests_in_flight");
inline constexpr GaugeName kConnections("toolway_http_connections");
inline constexpr CounterName kConnectionsEvicted("toolway_http_connections_evicted_total");
inline constexpr GaugeName kRequestBytes("toolway_http_request_bytes");
inline constexpr HistogramName kHttpRequest("toolway_http_request_seconds");
inline constexpr CounterName kHttpRequests("toolway_http_requests_total");
inline constexpr HistogramName kMcpOperation("toolway_mcp_server_operation_seconds");
inline constexpr CounterName kMcpClientRequests("toolway_mcp_server_client_requests_total");
inline constexpr CounterName kMcpErrors("toolway_mcp_server_errors_total");
inline constexpr CounterName kGapsFilled("toolway_live_gaps_filled_total");
inline constexpr CounterName kCloseTimeouts("toolway_gateway_close_timeouts_total");
inline constexpr CounterName kCancels("toolway_cancels_total");
inline constexpr CounterName kReplays("toolway_idempotent_replays_total");
inline constexpr GaugeName kRefusing("toolway_guard_refusing");
inline constexpr GaugeName kUnrecorded("toolway_guard_unrecorded_ratio");
inline constexpr CounterName kLaneCalls("toolway_calls_by_lane_total");
inline constexpr GaugeName kSharesWaiting("toolway_shares_waiting_calls");
inline constexpr GaugeName kQueueDepth("toolway_queue_depth");
inline constexpr GaugeName kQueueOldest("toolway_queue_oldest_seconds");
// Gateway: where specs come from.
inline constexpr GaugeName kSpecSourceUp("toolway_spec_source_up");
inline constexpr GaugeName kSpecs("toolway_specs");
inline constexpr CounterName kSpecMistakes("toolway_spec_mistakes_total");
// Worker.
inline constexpr GaugeName kSlots("toolway_worker_slots");
inline constexpr GaugeName kSlotsUsed("toolway_worker_slots_used");
inline constexpr CounterName kTakeovers("toolway_worker_takeovers_total");
inline constexpr CounterName kParked("toolway_worker_parked_total");
inline constexpr GaugeName kPaused("toolway_worker_paused");
inline constexpr GaugeName kAbandoned("toolway_worker_abandoned_attempts");
// Chat process. The first two are those of OpenTelemetry's GenAI conventions.
inline constexpr HistogramName kModelRequest("gen_ai_client_operation_duration_seconds");
inline constexpr TokensName kModelTokens("gen_ai_client_token_usage");
inline constexpr HistogramName kFirstText("toolway_chat_first_text_seconds");
inline constexpr CounterName kModelRetries("toolway_chat_model_retries_total");
inline constexpr CounterName kTurns("toolway_chat_turns_total");
inline constexpr HistogramName kTurnTime("toolway_chat_turn_seconds");
inline constexpr CounterName kIterations("toolway_chat_iterations_total");
inline constexpr CounterName kRequestsCut("toolway_chat_requests_cut_total");
inline constexpr CounterName kCallsTold("toolway_chat_calls_told_total");
inline constexpr GaugeName kTurnsWaiting("toolway_chat_turns_waiting");
// Collector.
inline constexpr GaugeName kCollectorLag("toolway_collector_lag_messages");
inline constexpr GaugeName kCollectorLagTime("toolway_collector_lag_seconds");
inline constexpr CounterName kBatchSize("toolway_collector_batch_messages_total");
inline constexpr CounterName kBatches("toolway_collector_batches_total");
inline constexpr HistogramName kBatchTime("toolway_collector_batch_seconds");
inline constexpr CounterName kDeadEvents("toolway_collector_dead_events_total");
inline constexpr CounterName kStoreErrors("toolway_store_errors_total");
inline constexpr GaugeName kStoreSize("toolway_store_bytes");
inline constexpr GaugeName kStoreConnections("toolway_store_connections");
inline constexpr GaugeName kStoreOldest("toolway_store_oldest_transaction_seconds");
// Collector: the reaper.
inline constexpr CounterName kReaped("toolway_reaped_total");
inline constexpr GaugeName kReaperLeader("toolway_reaper_leader");
inline constexpr GaugeName kReaperWatched("toolway_reaper_watched_calls");
inline constexpr GaugeName kReaperOldest("toolway_reaper_oldest_incomplete_seconds");
inline constexpr GaugeName kApprovalsWaiting("toolway_approvals_waiting");
inline constexpr GaugeName kApprovalsOldest("toolway_approvals_oldest_seconds");
// Collector: the sealer.
inline constexpr GaugeName kAuditUnsealed("toolway_audit_unsealed_seconds");
// Bus, in every process.
inline constexpr GaugeName kBusConnected("toolway_bus_connected");
inline constexpr CounterName kReconnects("toolway_bus_reconnects_total");
inline constexpr HistogramName kPublish("toolway_bus_publish_seconds");
inline constexpr CounterName kPublishErrors("toolway_bus_publish_errors_total");
inline constexpr GaugeName kStreamMessages("toolway_stream_messages");
inline constexpr GaugeName kStreamBytes("toolway_stream_bytes");
inline constexpr GaugeName kStreamLimit("toolway_stream_limit_bytes");
inline constexpr GaugeName kDurability("toolway_durability_info");
// The event loop, in every process.
inline constexpr GaugeName kLongestTurn("toolway_loop_longest_turn_seconds");
inline constexpr CounterName kLongTurns("toolway_loop_long_turns_total");
// Clock, in every process.
inline constexpr GaugeName kClockOffset("toolway_clock_offset_seconds");
// Telemetry itself.
inline constexpr CounterName kSpansExported("toolway_trace_spans_total");
inline constexpr GaugeName kScrape("toolway_scrape_seconds");
inline constexpr CounterName kSeriesDropped("toolway_series_over_bound_total");
inline constexpr CollectedGaugeName kBuildInfo("toolway_build_info");
// Process, as Prometheus' clients name them.
inline constexpr CollectedCounterName kProcessCpu("process_cpu_seconds_total");
inline constexpr CollectedGaugeName kProcessResident("process_resident_memory_bytes");
inline constexpr CollectedGaugeName kProcessVirtual("process_virtual_memory_bytes");
inline constexpr CollectedGaugeName kProcessFds("process_open_fds");
inline constexpr CollectedGaugeName kProcessMaxFds("process_max_fds");
inline constexpr CollectedGaugeName kProcessThreads("process_threads");
inline constexpr CollectedGaugeName kProcessStart("process_start_time_seconds");

}  // namespace toolway::monitoring
