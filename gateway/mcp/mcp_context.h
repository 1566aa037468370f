#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/seal_keys.h"
#include "gateway/calls/answer_plan.h"
#include "gateway/calls/cancel.h"
#include "gateway/calls/run_calls.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/live/feed.h"
#include "gateway/mcp/offers_view.h"
#include "gateway/mcp/opened_sessions.h"
#include "gateway/mcp/poll_pace.h"
#include "gateway/mcp/rpc_metrics.h"
#include "gateway/mcp/session_marks.h"
#include "gateway/mcp/task.h"
#include "gateway/sessions/session.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"
#include "gateway/wire/user_places.h"

namespace toolway::gateway::mcp {

/// Answers a call of a tool of namespace `tasks`, without the namespace, about a call of this
/// session: its completion.
using AnswerTask = std::function<loop::Task<v1::CallEvent>(const wire::RoutedRequest& routed,
                                                           const sessions::Session& session,
                                                           std::string tool, Json arguments)>;

/// What answering clients needs.
struct McpContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const calls::PlanContext& plan;
  const calls::RunContext& run;
  const live::FeedSources& feeds;
  loop::AsyncBus& bus;
  SessionMarks& marks;
  OpenedSessions& opened;
  PollPace& polls;
  UsualRuns& runs;
  wire::UserPlaces& watched;  ///< tasks
  const SealKeys& seal_keys;
  const Clock& clock;
  OffersView& offers;
  RpcMetrics& metrics;
  AnswerTask answer_task{};
  std::size_t max_arguments_bytes = 0;
  std::chrono::days keep_days{0};  ///< for so long calls are recorded; 0: always

  /// Of a task of this tool, which is named with its namespace.
  TaskTimes task_times(const std::string& tool) const {
    TaskTimes times{.poll = runs.poll_interval(tool)};
    if (keep_days.count() > 0) times.ttl = keep_days;
    return times;
  }
};

/// The session that a request is about; the caller's own is opened if there is none. Errors:
/// unknown_session, session_closed, and the bus's and the store's.
using FindSession = std::function<loop::Task<wire::HttpResult<sessions::SessionPtr>>(
    const wire::RoutedRequest& routed, std::string session_id)>;

/// Answers questions of a call of this caller; the last event of its log then.
using AnswerCall = std::function<loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>>(
    const wire::Caller& caller, std::string call_id, calls::ToAnswer given)>;

/// Approves or denies a held call at this caller's word. Errors: permission_denied, unknown_call,
/// approval_decided, approval_expired, approval_stale, and the bus's and the store's.
using DecideCall = std::function<loop::Task<wire::HttpResult<void>>(
    const wire::Caller& caller, std::string call_id, bool approve, std::string reason)>;

/// Counts and records that this caller was refused something of which the answer says nothing.
using NoteRefusal = std::function<void(const wire::Caller& caller, ErrorCode code)>;

/// A call of this caller as it is now. `session_key`: its session, where it is looked for first;
/// empty: not known. Errors: unknown_call, and the bus's and the store's.
using ReadTask = std::function<loop::Task<wire::HttpResult<TaskFacts>>(
    const wire::Caller& caller, std::string session_key, std::string call_id)>;

/// Some calls of a session, newest first.
struct TaskPage {
  std::vector<TaskFacts> tasks;
  bool more = false;  ///< older ones follow
  wire::MemoryBudget::Share memory{};
};
using ListTasks = std::function<loop::Task<wire::HttpResult<TaskPage>>(
    SessionKey session, std::optional<CallId> before)>;

/// The whole result of a call of this caller's session, a JSON text. Errors: unknown_call,
/// call_not_completed, no_result, payload_too_large, and the bus's and the store's.
struct WholeResult {
  std::string text;
  wire::MemoryBudget::Share memory{};
};
using ReadResult = std::function<loop::Task<wire::HttpResult<WholeResult>>(
    const wire::Caller& caller, std::string call_id, std::string session_key)>;

/// What others do for it.
struct McpPorts {
  FindSession find_session;
  AnswerCall answer_call;
  calls::CancelCall cancel_call;
  DecideCall decide_call;
  NoteRefusal note_refusal;
  ReadTask read_task;
  ListTasks list_tasks;
  ReadResult read_result;
};

/// Where a request about a session is answered. All of it must outlive the answering, and `context`
/// the stream that it may become.
struct RequestScope {
  const McpContext& context;
  const McpPorts& ports;
  const wire::RoutedRequest& routed;
  const sessions::Session& session;
};

}  // namespace toolway::gateway::mcp
