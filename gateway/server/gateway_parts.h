#pragma once

#include <memory>
#include <unordered_set>

#include "bus/switch_board.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/answers/held_page.h"
#include "gateway/answers/written_answer.h"
#include "gateway/calls/accepted_here.h"
#include "gateway/calls/call_counters.h"
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
#include "gateway/server/connection.h"
#include "gateway/server/request_metrics.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/memory_budget.h"

namespace toolway::gateway {

/// Everything that requests are answered with, and what each room gets of it: nothing else knows
/// the whole. One per gateway, on the io_context's thread; must outlive its coroutines, which keep
/// references to its contexts.
struct GatewayParts {
  GatewayParts(bus::Bus& raw_bus, persistence::StoreReader& raw_store,
               const tools::LiveRegistry& tools, monitoring::Metrics& metrics_in,
               const Clock& clock_in, const GatewayOptions& options_in, Edge& edge_in,
               asio::io_context& io);
  GatewayParts(const GatewayParts&) = delete;
  GatewayParts& operator=(const GatewayParts&) = delete;

  /// Shows what is kept for sessions: looks at each follower.
  void measure_memory();

  const GatewayOptions& options;
  Edge& edge;
  const tools::LiveRegistry& registry;
  monitoring::Metrics& metrics;
  const Clock& clock;
  Executor executor;
  std::shared_ptr<LoopInbox> inbox;
  AsyncBus bus;
  AsyncStore store;
  WorkPool work;
  MemoryBudget memory;
  MemoryBudget request_bytes;  ///< of requests alone, as they came
  Sessions sessions;
  AcceptedHere accepted_here;
  SpecShelf specs;
  LiveHub live;
  Turnstile readers;
  Turnstile page_turns;
  bus::SwitchBoard switches;
  ToolsView tools_view;
  BusWatch bus_watch;
  RequestMetrics requests;
  WorkerRoster workers;
  Scraper scraper;
  CallCounters counters;
  std::unordered_set<Feed*> feeds;
  Drain drain;

  // What each room gets.
  const AnswerRoom answers{.memory = memory, .work = work};
  const PageSources pages{.store = store, .turns = page_turns, .memory = memory, .clock = clock};
  const FeedSources feed_sources;
  const KeyContext keys;
  const PlanContext plan;
  const SubmitContext submit;
  const WaitContext waits;
  const RunContext run{.keys = keys, .waits = waits, .submit = submit};
  const CancelContext cancel{.bus = bus, .store = store, .clock = clock, .counters = counters};
  const StreamSearch streams{.bus = bus, .accepted_here = accepted_here, .sessions = sessions};
  const RecordWatch recorded{.bus = bus, .drain = drain};
  const MailboxContext mailbox{.recorded = recorded, .pages = pages};
  const SessionWaitContext session_waits;
  const CallSearch call_search{.bus = bus, .store = store, .recorded = recorded};
  const Endpoints endpoints;
  const ConnectionContext connections;

 private:
  double sessions_bucket_used() const;
  Endpoints make_endpoints();
  monitoring::Gauge& memory_;
};

}  // namespace toolway::gateway
