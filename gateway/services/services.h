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
#include "gateway/calls/cancel.h"
#include "gateway/calls/run_calls.h"
#include "gateway/catalogue/spec_shelf.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/edge/edge.h"
#include "gateway/gateway.h"
#include "gateway/live/feed.h"
#include "gateway/live/live_hub.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/loop/drain.h"
#include "gateway/loop/scraper.h"
#include "gateway/loop/work_pool.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/mailbox/session_wait.h"
#include "gateway/services/request_metrics.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/memory_budget.h"

namespace toolway::gateway {

/// What every request needs to be answered, and what the rooms below get of it: one per gateway, on
/// the io_context's thread.
struct Services {
  Services(bus::Bus& raw_bus, persistence::StoreReader& raw_store, const tools::LiveRegistry& tools,
           monitoring::Metrics& metrics_in, const Clock& clock_in, const GatewayOptions& options_in,
           Edge& edge_in, asio::io_context& io);

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

  monitoring::Gauge& followers;
  monitoring::Gauge& in_flight;

 private:
  double sessions_bucket_used() const;
  monitoring::Gauge& memory_;
};

}  // namespace toolway::gateway
