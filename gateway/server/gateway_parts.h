#pragma once

#include <future>
#include <memory>
#include <unordered_set>

#include "bus/switch_board.h"
#include "extensions/chain/policy_board.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/waiting_limits.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/answers/held_page.h"
#include "gateway/answers/written_answer.h"
#include "gateway/calls/accepted_here.h"
#include "gateway/calls/call_counters.h"
#include "gateway/calls/refusals.h"
#include "gateway/catalogue/spec_shelf.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/gateway.h"
#include "gateway/live/feed.h"
#include "gateway/live/live_hub.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/loop/drain.h"
#include "gateway/loop/scraper.h"
#include "gateway/loop/work_pool.h"
#include "gateway/mcp/task_watch.h"
#include "gateway/server/connection.h"
#include "gateway/server/request_metrics.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/wire/user_places.h"
#include "monitoring/gauge_part.h"

namespace toolway::gateway::server {

/// Everything that requests are answered with, and what each room gets of it: nothing else knows
/// the whole. One per gateway, on the io_context's thread; must outlive its coroutines, which keep
/// references to its contexts.
struct GatewayParts {
  GatewayParts(bus::Bus& bus_in, persistence::store::StoreReader& raw_store,
               const tools::model::LiveRegistry& tools, monitoring::Metrics& metrics_in,
               const Clock& clock_in, const GatewayOptions& options_in, edge::Edge& edge_in,
               asio::io_context& io);
  GatewayParts(const GatewayParts&) = delete;
  GatewayParts& operator=(const GatewayParts&) = delete;

  void every_second() {
    look_at_buckets();
    measure_memory();
    tell_refusals();
  }
  /// Looks whether switches, policy or API keys have changed unnoticed, and tells the other
  /// gateways what waits: every second.
  void look_at_buckets() {
    waiting_limits.every_second();
    switches.look();
    policies_mirror.look();
    // One for all loops.
    if (options.authority && options.loop == 0) options.authority->look();
  }
  /// Tells the audit what was refused in minutes that have ended; what NATS does not take, again.
  void tell_refusals();
  /// Tells it the rest, as the gateway ends.
  void tell_last_refusals();
  /// Waits until NATS has that, at most `patience`. For when the loop has ended.
  void await_last_refusals(std::chrono::milliseconds patience);
  /// Nothing is asked or told by itself any more.
  void stop_asking() {
    bus_watch.stop();
    waiting_limits.stop();
  }
  /// Ends the feeds of sessions that were deleted: looks at each follower, if there are any.
  void end_feeds_of_deleted();
  /// Shows what is kept for sessions: looks at each follower.
  void measure_memory();

  const GatewayOptions& options;
  bus::Bus& raw_bus;
  edge::Edge& edge;
  const tools::model::LiveRegistry& registry;
  monitoring::Metrics& metrics;
  const std::shared_ptr<const SealKeys> seal_keys;
  const Clock& clock;
  loop::Executor executor;
  std::shared_ptr<loop::IoPost> io_post;
  auth::Gate gate;
  loop::AsyncBus bus;
  loop::AsyncStore store;
  loop::WorkPool work;
  loop::WorkPool checks;  ///< of arguments
  loop::WorkPool asking;  ///< of services; no threads while none may be asked
  wire::MemoryBudget memory;
  wire::MemoryBudget request_bytes;  ///< of requests alone, as they came
  sessions::Sessions sessions;
  calls::AcceptedHere accepted_here;
  wire::UserPlaces wait_places;
  calls::CallLooks call_looks;
  catalogue::SpecShelf specs;
  live::LiveHub live;
  loop::AsyncSemaphore readers;
  loop::AsyncSemaphore page_turns;
  bus::SwitchBoard switches;
  const std::shared_ptr<extensions::chain::PolicyBoard> policies;
  bus::BucketMirror policies_mirror;
  extensions::chain::ChainMetrics chain_metrics;
  admission::LimitRefusals limit_refusals;
  admission::RateLimits limits;
  catalogue::ToolsView tools_view;
  admission::WorkerRoster workers;
  admission::WaitingCounts waiting_counts;
  admission::FleetShares fleet_shares;
  admission::BusWatch bus_watch;
  admission::WaitingLimits waiting_limits;
  RequestMetrics requests;
  mcp::RpcMetrics mcp_metrics;
  mcp::SessionMarks mcp_marks;
  mcp::OffersView mcp_offers;
  mcp::OpenedSessions mcp_opened;
  mcp::PollPace mcp_polls;
  mcp::UsualRuns mcp_runs;
  wire::UserPlaces mcp_watched{mcp::TaskWatch::kPlaces};
  loop::Scraper scraper;
  calls::CallCounters counters;
  calls::Refusals refusals;
  std::vector<std::future<Result<bus::PubAck>>> last_refusals;
  calls::KeyShares key_shares;
  std::unordered_set<live::Feed*> feeds;
  std::vector<SessionKey> deleted_sessions;  ///< whose feeds are to end
  loop::Drain drain;

  // What each room gets.
  const answers::AnswerRoom answers{.memory = memory, .work = work};
  const answers::PageSources pages{
      .store = store, .turns = page_turns, .memory = memory, .clock = clock};
  const live::FeedSources feed_sources;
  const calls::KeyContext keys;
  const calls::PlanContext plan;
  const calls::SubmitContext submit;
  const calls::WaitContext waits;
  const calls::ServicesContext services;
  const calls::RunContext run{.keys = keys,
                              .waits = waits,
                              .services = services,
                              .policies = *policies,
                              .waiting = waiting_limits,
                              .limits = limits,
                              .submit = submit};
  const calls::CancelContext cancel{
      .bus = bus, .store = store, .clock = clock, .counters = counters};
  const calls::StreamSearch streams{
      .bus = bus, .accepted_here = accepted_here, .sessions = sessions, .clock = clock};
  const mailbox::RecordWatch recorded{.bus = bus, .clock = clock, .drain = drain};
  const mailbox::MailboxContext mailbox{.recorded = recorded, .pages = pages};
  const mailbox::SessionWaitContext session_waits;
  const endpoints::CallSearch call_search{
      .bus = bus, .store = store, .recorded = recorded, .memory = memory, .clock = clock};
  const endpoints::Endpoints endpoints;
  const ConnectionContext connections;

 private:
  double bucket_used(std::string_view stream) const;
  endpoints::Endpoints make_endpoints();
  endpoints::ApprovalsContext make_approvals();
  endpoints::CloseContext make_close();
  mcp::McpContext make_mcp();
  endpoints::MessagesContext make_messages();
  endpoints::ExplainContext make_explain();
  endpoints::SpecsContext make_specs();
  monitoring::GaugePart memory_;
};

}  // namespace toolway::gateway::server
