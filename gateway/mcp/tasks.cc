#include "gateway/mcp/tasks.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/loop/asio_types.h"
#include "gateway/mcp/approval_question.h"
#include "gateway/mcp/followed_call.h"
#include "gateway/mcp/give_answers.h"
#include "gateway/mcp/page_cursor.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/session_tasks.h"
#include "gateway/mcp/task.h"
#include "mcp/fields.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;
using toolway::mcp::Revision;
using toolway::mcp::Tasks;

constexpr std::string_view kCursorPurpose = "mcp tasks cursor";
/// For so long a cancelled task may take to end before its client is told.
constexpr std::chrono::seconds kCancelWait{2};
constexpr std::chrono::milliseconds kCancelLook{100};

constexpr std::array<std::string_view, 4> kByClient{"tasks/get", "tasks/result", "tasks/list",
                                                    "tasks/cancel"};
constexpr std::array<std::string_view, 3> kByServer{"tasks/get", "tasks/update", "tasks/cancel"};

using Answered = wire::HttpResult<wire::Response>;

class AnsweringTasks {
 public:
  AnsweringTasks(const RequestScope& of, const RpcRequest& request)
      : of_(of),
        request_(request),
        tasks_{.context = of.context,
               .read = of.ports.read_task,
               .read_result = of.ports.read_result,
               .caller = of.routed.caller,
               .session_key = of.session.record.session_key(),
               .asks_forms = request.askable.form()} {}

  loop::Task<Answered> answer() {
    const auto& method = request_.request.method;
    if (by_server() && !request_.tasks) co_return failed(request_, tasks_not_declared());
    if (method == "tasks/list") co_return co_await list();
    const auto id = toolway::mcp::short_text(request_.request.params, "taskId");
    auto facts = co_await tasks_.find(id);
    if (!facts && is_unknown(facts.error())) co_return wrong("there is no task with this id");
    CO_RETURN_IF_ERROR(facts);
    if (method == "tasks/result") co_return co_await result(std::move(*facts));
    if (method == "tasks/cancel") co_return co_await cancel(std::move(*facts));
    if (method == "tasks/update") co_return co_await update(std::move(*facts));
    co_return co_await get(std::move(*facts));
  }

 private:
  bool by_server() const {
    return toolway::mcp::rules_of(request_.revision).tasks == Tasks::kByServer;
  }

  wire::Response wrong(std::string message) const {
    return wrong_params(request_, std::move(message));
  }

  wire::Response answered(Json result) const {
    if (by_server()) result["resultType"] = "complete";
    return json_response(answer_text(request_.request.id, result));
  }

  static bool is_unknown(const wire::Problem& problem) {
    return problem.error.code == ErrorCode::kUnknownCall ||
           problem.error.code == ErrorCode::kInvalidIdentifier;
  }

  /// Of a task that runs, no sooner than its client may ask.
  loop::Task<Answered> get(TaskFacts facts) {
    if (!has_ended(facts)) {
      const auto wait =
          of_.context.polls.wait_of(facts.call.call_id, of_.context.clock.monotonic());
      if (wait.count() > 0) {
        co_await loop::pause(wait);
        const std::string id = facts.call.call_id;
        CO_ASSIGN_OR_RETURN(facts, co_await tasks_.find(id));
      }
    }
    if (facts.call.completion) of_.context.runs.ended(*facts.call.completion);
    if (!by_server()) co_return answered(task_json(facts, request_.revision));
    wire::MemoryBudget::Share room;
    auto task = co_await tasks_.detailed(facts, room);
    auto response = answered(std::move(task));
    response.memory = std::move(room);
    co_return response;
  }

  FollowedCall followed(const TaskFacts& facts) const {
    FollowedCall made{.context = &of_.context,
                      .answer_call = of_.ports.answer_call,
                      .cancel_call = of_.ports.cancel_call,
                      .read_task = of_.ports.read_task,
                      .read_result = of_.ports.read_result,
                      .caller = of_.routed.caller,
                      .id = request_.request.id,
                      .revision = request_.revision,
                      .stateless = false,
                      .request = {},
                      .tool = tasks_.tool_of(facts),
                      .digest = {},
                      .given = {},
                      .late = true,
                      .asks_forms = request_.askable.form(),
                      .task_id = facts.call.call_id};
    made.request.set_call_id(facts.call.call_id);
    made.request.set_session_key(facts.call.session_key);
    return made;
  }

  /// Waits for the end on a stream, which asks what the tool asks.
  loop::Task<Answered> result(TaskFacts facts) {
    auto call = followed(facts);
    if (facts.call.completion) co_return co_await call.answer(*facts.call.completion);
    if (!takes_stream(of_.routed))
      co_return failed(
          request_,
          {.code = toolway::mcp::kInvalidRequestError,
           .message = "the result of a task that runs comes as text/event-stream: name it in the "
                      "header Accept, or ask for tasks/get until the task has ended"});
    Following how;
    how.session = request_.session;
    how.tool = proto::qualified_name(facts.call.labels);
    co_return co_await follow_call(std::move(call), std::move(how));
  }

  loop::Task<Answered> list() {
    const auto before = open_cursor(of_, kCursorPurpose, request_);
    if (!before) co_return wrong("this cursor was not made here");
    CO_ASSIGN_OR_RETURN(auto page, co_await of_.ports.list_tasks(of_.session.key, *before));
    Json tasks = Json::array();
    for (auto& facts : page.tasks) {
      facts.times = of_.context.task_times(proto::qualified_name(facts.call.labels));
      tasks.push_back(task_json(facts, request_.revision));
    }
    Json listed{{"tasks", std::move(tasks)}};
    if (page.more && !page.tasks.empty())
      listed["nextCursor"] = seal_cursor(of_, kCursorPurpose, page.tasks.back().call.call_id);
    co_return answered(std::move(listed));
  }

  loop::Task<Answered> cancel(TaskFacts facts) {
    if (has_ended(facts)) co_return cancelled_too_late();
    const std::string id = facts.call.call_id;
    const std::string reason = "its client cancelled the task";
    CO_RETURN_IF_ERROR(co_await of_.ports.cancel_call(of_.routed.caller, id, reason));
    if (by_server()) co_return answered(Json::object());
    // Its worker must end it: what is said now is to stay true.
    const auto give_up = of_.context.clock.monotonic() + kCancelWait;
    for (;;) {
      CO_ASSIGN_OR_RETURN(facts, co_await tasks_.find(id));
      if (has_ended(facts) || of_.context.clock.monotonic() >= give_up) break;
      co_await loop::pause(kCancelLook);
    }
    auto task = task_json(facts, request_.revision);
    if (has_ended(facts) && task["status"] != "cancelled") co_return cancelled_too_late();
    task["status"] = "cancelled";
    task["statusMessage"] = reason;
    co_return answered(std::move(task));
  }

  wire::Response cancelled_too_late() const {
    return by_server() ? answered(Json::object()) : wrong("the task has ended");
  }

  loop::Task<Answered> update(TaskFacts facts) {
    const auto* responses = member(request_.request.params, "inputResponses");
    auto answers = read_answers(responses == nullptr ? Json() : *responses);
    if (!answers) co_return wrong(std::move(answers.error()));
    if (has_ended(facts)) co_return answered(Json::object());
    auto approval = answers->extract(std::string(kApprovalKey));
    if (approval) {
      CO_ASSIGN_OR_RETURN(auto no_answer,
                          co_await give_approval(of_.ports, of_.routed.caller, facts.call.call_id,
                                                 std::move(approval.mapped())));
      if (no_answer) co_return wrong(std::move(*no_answer));
      if (answers->empty()) co_return answered(Json::object());
    }
    calls::ToAnswer given(std::move(*answers), calls::ToAnswer::Unasked::kLeftOut);
    const auto done =
        co_await give_answers(of_.ports, of_.routed.caller, facts.call.call_id, std::move(given));
    if (!done && done.error().error.code == ErrorCode::kInvalidRequest)
      co_return wrong(done.error().error.message);
    CO_RETURN_IF_ERROR(done);
    co_return answered(Json::object());
  }

  const RequestScope& of_;
  const RpcRequest& request_;
  const SessionTasks tasks_;
};

}  // namespace

bool is_of_tasks(std::string_view method, Revision revision) {
  const auto has = [method](const auto& methods) {
    return std::ranges::find(methods, method) != methods.end();
  };
  switch (toolway::mcp::rules_of(revision).tasks) {
    case Tasks::kNone: return false;
    case Tasks::kByClient: return has(kByClient);
    case Tasks::kByServer: return has(kByServer);
  }
  return false;
}

loop::Task<Answered> answer_tasks(const RequestScope& of, const RpcRequest& request) {
  AnsweringTasks answering(of, request);
  co_return co_await answering.answer();
}

void add_tasks(Json& capabilities, Revision revision) {
  switch (toolway::mcp::rules_of(revision).tasks) {
    case Tasks::kNone: return;
    case Tasks::kByClient:
      capabilities["tasks"] = {{"list", Json::object()},
                               {"cancel", Json::object()},
                               {"requests", {{"tools", {{"call", Json::object()}}}}}};
      return;
    case Tasks::kByServer:
      capabilities["extensions"][std::string(kTasksExtension)] = Json::object();
      return;
  }
}

}  // namespace toolway::gateway::mcp
