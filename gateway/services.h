#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bus/switch_board.h"
#include "gateway/accepted_calls.h"
#include "gateway/async_bus.h"
#include "gateway/async_store.h"
#include "gateway/bus_watch.h"
#include "gateway/edge.h"
#include "gateway/feed.h"
#include "gateway/gateway.h"
#include "gateway/live_hub.h"
#include "gateway/memory_budget.h"
#include "gateway/request_metrics.h"
#include "gateway/scraper.h"
#include "gateway/sessions.h"
#include "gateway/spec_shelf.h"
#include "gateway/tools_view.h"
#include "gateway/work_pool.h"
#include "gateway/worker_roster.h"

namespace toolway::gateway {

/// What every request is answered with: one per gateway, on the io_context's thread.
struct Services {
  Services(bus::Bus& raw_bus, persistence::StoreReader& raw_store,
           const tools::LiveRegistry& tools, monitoring::Metrics& metrics_in,
           const Clock& clock_in, const GatewayOptions& options_in, Edge& edge_in, asio::io_context& io);

  FeedSources feed_sources() { return {bus, store, live, clock, gaps_filled, readers, memory, executor}; }
  void count_refused(ErrorCode code);
  void count_accepted(const v1::CallRequest& call);
  /// A gateway has ended a call itself.
  void count_completed(const v1::CallLabels& labels, std::string_view pool, v1::Outcome outcome);
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
  Turnstile pages;
  bus::SwitchBoard switches;
  ToolsView tools_view;
  BusWatch bus_watch;
  RequestMetrics requests;
  WorkerRoster workers;
  Scraper scraper;
  std::unordered_set<Feed*> feeds;
  bool draining = false;

  monitoring::Counter& gaps_filled;
  monitoring::Gauge& followers;
  monitoring::Gauge& in_flight;

 private:
  double sessions_bucket_used() const;
  monitoring::Gauge& memory_;
  std::unordered_map<std::string, monitoring::Counter*> accepted_;  ///< by pool and qualified name
};

}  // namespace toolway::gateway
