#pragma once

#include <functional>
#include <optional>

#include "base/durability.h"
#include "extensions/chain/policy_board.h"
#include "gateway/auth/gate.h"
#include "gateway/calls/refusals.h"
#include "gateway/edge/edge.h"
#include "gateway/endpoints/approval_handlers.h"
#include "gateway/endpoints/audit_handler.h"
#include "gateway/endpoints/call_handlers.h"
#include "gateway/endpoints/cancel_handler.h"
#include "gateway/endpoints/delete_handler.h"
#include "gateway/endpoints/event_handlers.h"
#include "gateway/endpoints/explain_handler.h"
#include "gateway/endpoints/face_handlers.h"
#include "gateway/endpoints/health_handlers.h"
#include "gateway/endpoints/import_handler.h"
#include "gateway/endpoints/input_handler.h"
#include "gateway/endpoints/mailbox_handlers.h"
#include "gateway/endpoints/message_handlers.h"
#include "gateway/endpoints/post_handlers.h"
#include "gateway/endpoints/result_handler.h"
#include "gateway/endpoints/session_handlers.h"
#include "gateway/endpoints/spec_handlers.h"
#include "gateway/endpoints/stop_handler.h"
#include "gateway/endpoints/switch_handlers.h"
#include "gateway/endpoints/tool_calls_handler.h"
#include "gateway/endpoints/tools_handlers.h"
#include "gateway/endpoints/workers_handler.h"
#include "gateway/loop/scraper.h"
#include "gateway/mcp/change_stream.h"
#include "gateway/mcp/mcp_server.h"
#include "gateway/wire/route.h"

namespace toolway::gateway::endpoints {

/// What requests are answered with, by topic. It lasts, with all that it refers to, as long as
/// requests are answered.
struct Endpoints {
  // Who is answered.
  edge::Edge& edge;
  auth::Gate& gate;
  const bus::SwitchBoard& switches;
  const extensions::chain::PolicyBoard& policies;
  const loop::Drain& drain;
  const SealKeys& seal_keys;
  const Clock& clock;
  std::chrono::milliseconds
      accept_deadline{};  ///< how long a request waits for what it needs to know first
  calls::CallCounters& counters;
  calls::Refusals& refusals;

  // With what.
  SessionsContext sessions;
  RestoreContext restore;
  CloseContext close;
  CompletionsContext completions;
  ToolsContext tools;
  PostContext posts;
  CallsContext calls;
  EventsContext events;
  ExplainContext explain;
  SpecsContext specs;
  SwitchesContext switched;
  ApprovalsContext approvals;
  AuditContext audit;
  MessagesContext messages;
  TasksContext tasks;
  AnswersContext input;
  mcp::McpContext mcp;
  const CallSearch& search;
  const calls::StreamSearch& streams;
  const calls::CancelContext& cancel;
  catalogue::ToolsView& tools_view;
  const answers::AnswerRoom& answers;
  admission::WorkerRoster& workers;
  const admission::BusWatch& queues;
  const loop::AsyncStore& store;
  loop::Scraper& scraper;
  const std::function<std::string()>& clock_in_words;
  std::optional<Durability> durability{};
};

}  // namespace toolway::gateway::endpoints
