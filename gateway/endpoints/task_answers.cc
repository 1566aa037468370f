#include "gateway/endpoints/task_answers.h"

#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/wire/json_text.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"
#include "tools/builtin/task_tools.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

v1::CallEvent failed(const Error& error) {
  v1::CallEvent event;
  auto& completed = *event.mutable_completed();
  completed.set_outcome(v1::OUTCOME_FAILED);
  completed.mutable_error()->set_code(std::string(code_name(error.code)));
  completed.mutable_error()->set_message(error.message);
  return event;
}

v1::CallEvent succeeded(std::string result) {
  v1::CallEvent event;
  event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  event.mutable_completed()->set_result(std::move(result));
  return event;
}

/// Another session's call is unknown to this one's model.
loop::Task<wire::HttpResult<RecordedCall>> find_task(const TasksContext& context,
                                                     const wire::RoutedRequest& routed,
                                                     const sessions::Session& session,
                                                     std::string id) {
  CO_ASSIGN_OR_RETURN(auto call, co_await find_call(context.search, routed.caller, id));
  if (call.session_key != session.record.session_key())
    co_return wire::refuse(ErrorCode::kUnknownCall, "this session has no call with this id");
  co_return std::move(call);
}

/// Follows the call until it ends, or the time is up.
loop::Task<void> await_end(const TasksContext& context, const wire::RoutedRequest& routed,
                           RecordedCall& call, std::chrono::milliseconds most) {
  v1::CallRequest request;
  request.set_call_id(call.call_id);
  request.set_session_key(call.session_key);
  request.set_tenant_id(call.tenant_id);
  request.set_user_id(call.user_id);
  loop::Timer wake(co_await asio::this_coro::executor);
  calls::WaitRoom room;
  const auto wait = calls::CallWait::create(context.waits, request);
  if (!wait) co_return;
  const auto deadline = context.waits.clock.monotonic() + most;
  if (!co_await wait->follow(wake, room)) co_return;
  co_await wait->recall();
  std::vector<calls::CallWait*> waits{wait.get()};
  co_await calls::wait_for(context.waits, waits, wake, deadline, *routed.request.watch);
  if (wait->completion()) calls::apply_event(call, *wait->completion());
}

std::string_view state_of(const RecordedCall& call) {
  if (call.completion) return "completed";
  if (call.held) return "awaiting_approval";
  return call.started_at ? "running" : "queued";
}

std::string status_json(const RecordedCall& call, const std::optional<v1::Progress>& progress) {
  std::string out;
  wire::ObjectText object(out);
  object.text("call_id", call.call_id);
  object.text("tool", proto::qualified_name(call.labels));
  object.text("state", state_of(call));
  if (call.completion) {
    const auto& completed = call.completion->completed();
    object.text("outcome", proto::outcome_name(completed.outcome()));
    if (completed.outcome() == v1::OUTCOME_SUCCEEDED)
      object.json("result", completed.result());
    else
      object.text("error", completed.error().message());
  }
  if (progress) {
    object.real("progress", progress->progress());
    if (progress->total() > 0) object.real("total", progress->total());
    object.text_or_null("step", progress->step());
    object.text_or_null("message", progress->message());
  }
  object.end();
  return out;
}

loop::Task<wire::HttpResult<std::string>> check_task(const TasksContext& context,
                                                     const wire::RoutedRequest& routed,
                                                     RecordedCall call, double wait_s) {
  auto last = co_await bring_up_to_date(context.search.bus, call);
  if (!call.completion && wait_s > 0) {
    co_await await_end(context, routed, call,
                       std::chrono::milliseconds(static_cast<std::int64_t>(wait_s * 1000)));
    last = co_await bring_up_to_date(context.search.bus, call);
  }
  std::optional<v1::Progress> progress;
  if (last && last->has_progress()) progress = last->progress();
  co_return status_json(call, progress);
}

loop::Task<wire::HttpResult<std::string>> cancel_task(const TasksContext& context,
                                                      RecordedCall call) {
  const auto deadline = context.cancel.clock.monotonic() + calls::LogEdit::kTimeLimit;
  calls::KnownCall known(std::move(call));
  std::string reason = "the model cancelled it";
  CO_ASSIGN_OR_RETURN(const auto done, co_await calls::cancel_call(context.cancel, std::move(known),
                                                                   std::move(reason), deadline));
  co_return calls::cancellation_json(done);
}

}  // namespace

loop::Task<v1::CallEvent> answer_task(const TasksContext& context,
                                      const wire::RoutedRequest& routed,
                                      const sessions::Session& session, TaskQuestion question) {
  auto found = co_await find_task(context, routed, session,
                                  question.arguments.value("call_id", std::string()));
  if (!found) co_return failed(found.error().error);
  wire::HttpResult<std::string> answer;
  if (question.tool == tools::builtin::kCancelTask) {
    answer = co_await cancel_task(context, *std::move(found));
  } else {
    const double wait_s = question.arguments.value("wait_s", 0.0);
    answer = co_await check_task(context, routed, *std::move(found), wait_s);
  }
  if (!answer) co_return failed(answer.error().error);
  co_return succeeded(*std::move(answer));
}

}  // namespace toolway::gateway::endpoints
