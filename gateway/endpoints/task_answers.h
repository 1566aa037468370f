#pragma once

#include "gateway/calls/call_wait.h"
#include "gateway/calls/cancel.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/sessions/session.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What looking after calls for a model needs.
struct TasksContext {
  const CallSearch& search;
  const calls::CancelContext& cancel;
  const calls::WaitContext& waits;
};

/// What a model asks of its tasks: a tool of namespace `tasks`, with valid arguments.
struct TaskQuestion {
  std::string tool;  ///< without its namespace
  Json arguments;
};

/// Answers it as the completion of a call, for a call of this session: what has become of it, after
/// a wait if that is asked for, or that it is cancelled.
loop::Task<v1::CallEvent> answer_task(const TasksContext& context,
                                      const wire::RoutedRequest& routed,
                                      const sessions::Session& session, TaskQuestion question);

}  // namespace toolway::gateway::endpoints
