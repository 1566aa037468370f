#include "gateway/mcp/tasks.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/mcp/followed_call.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/sealed.h"
#include "gateway/mcp/task.h"
#include "mcp/fields.h"
#include "proto/qualified_name.h"
#include "proto/questions.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;
using toolway::mcp::Revision;
using toolway::mcp::Tasks;

constexpr std::string_view kCursorPurpose = "mcp tasks cursor";
constexpr std::chrono::hours kCursorLifetime{24};

constexpr std::array<std::string_view, 4> kByClient{"tasks/get", "tasks/result", "tasks/list",
                                                    "tasks/cancel"};
constexpr std::array<std::string_view, 3> kByServer{"tasks/get", "tasks/update", "tasks/cancel"};

using Answered = wire::HttpResult<wire::Response>;

class AnsweringTasks {
 public:
  AnsweringTasks(const TasksAsked& of, const RpcRequest& request) : of_(of), request_(request) {}

  loop::Task<Answered> answer() {
    const auto& method = request_.request.method;
    if (by_server() && !request_.tasks) co_return refused(tasks_not_declared());
    if (method == "tasks/list") co_return co_await list();
    const auto id = toolway::mcp::short_text(request_.request.params, "taskId");
    auto facts = co_await find(id);
    if (!facts && is_unknown(facts.error()))
      co_return refused(toolway::mcp::kInvalidParams, "there is no task with this id");
    CO_RETURN_IF_ERROR(facts);
    if (method == "tasks/result") co_return co_await result(std::move(*facts));
    if (method == "tasks/cancel") co_return co_await cancel(std::move(*facts));
    if (method == "tasks/update") co_return co_await update(std::move(*facts));
    co_return get(*facts);
  }

 private:
  bool by_server() const {
    return toolway::mcp::rules_of(request_.revision).tasks == Tasks::kByServer;
  }

  wire::Response refused(toolway::mcp::RpcError error) const {
    return failed({.status = request_.stateless ? 400U : 200U,
                   .id = request_.request.id,
                   .error = std::move(error)});
  }
  wire::Response refused(std::int64_t code, std::string message) const {
    return refused({.code = code, .message = std::move(message)});
  }

  wire::Response answered(Json result) const {
    if (by_server()) result["resultType"] = "complete";
    return json_response(answer_text(request_.request.id, result));
  }

  static bool is_unknown(const wire::Problem& problem) {
    return problem.error.code == ErrorCode::kUnknownCall ||
           problem.error.code == ErrorCode::kInvalidIdentifier;
  }

  loop::Task<wire::HttpResult<TaskFacts>> find(std::string id) {
    CO_ASSIGN_OR_RETURN(auto facts, co_await of_.ports.read_task(of_.routed.caller, std::move(id)));
    if (facts.call.session_key != of_.session.record.session_key())
      co_return wire::refuse(ErrorCode::kUnknownCall, "this session has no such call");
    co_return std::move(facts);
  }

  tools::model::RegisteredToolPtr tool_of(const TaskFacts& facts) const {
    const auto& labels = facts.call.labels;
    return of_.context.plan.registry.now()->find(labels.namespace_(), labels.tool());
  }

  wire::Response get(const TaskFacts& facts) const {
    if (!by_server()) return answered(task_json(facts, request_.revision));
    static const tools::model::Spec kNone;
    const auto tool = tool_of(facts);
    return answered(detailed_task(facts, tool ? tool->spec() : kNone, request_.revision));
  }

  FollowedCall followed(const TaskFacts& facts) const {
    FollowedCall made{.context = &of_.context,
                      .answer_call = of_.ports.answer_call,
                      .cancel_call = of_.ports.cancel_call,
                      .caller = of_.routed.caller,
                      .id = request_.request.id,
                      .revision = request_.revision,
                      .stateless = false,
                      .request = {},
                      .tool = tool_of(facts),
                      .digest = {},
                      .given = {},
                      .late = true,
                      .task_id = facts.call.call_id};
    made.request.set_call_id(facts.call.call_id);
    made.request.set_session_key(facts.call.session_key);
    return made;
  }

  /// Waits for the end on a stream, which asks what the tool asks.
  loop::Task<Answered> result(TaskFacts facts) {
    auto call = followed(facts);
    if (facts.call.completion) {
      auto ended = call.ended(*facts.call.completion);
      co_return json_response(std::move(ended.text), ended.status);
    }
    if (of_.routed.request.accept.find("text/event-stream") == std::string_view::npos)
      co_return refused(toolway::mcp::kInvalidRequestError,
                        "the result of a task that runs comes as text/event-stream: name it in the "
                        "header Accept, or ask for tasks/get until the task has ended");
    Following how;
    how.session = request_.session;
    how.tool = proto::qualified_name(facts.call.labels);
    co_return co_await follow_call(std::move(call), std::move(how));
  }

  loop::Task<Answered> list() {
    std::optional<CallId> before;
    if (const auto* cursor = member(request_.request.params, "cursor"); cursor != nullptr) {
      const auto opened = open_for(of_.context.seal_keys, kCursorPurpose, of_.routed.caller,
                                   cursor->is_string() ? cursor->get<std::string>() : std::string(),
                                   of_.context.clock.wall());
      const auto id = opened ? CallId::parse(text_at(*opened, "before"))
                             : Result<CallId>(fail(ErrorCode::kInvalidCursor, ""));
      if (!id || text_at(*opened, "session") != of_.session.record.session_key())
        co_return refused(toolway::mcp::kInvalidParams, "this cursor was not made here");
      before = *id;
    }
    CO_ASSIGN_OR_RETURN(auto page, co_await of_.ports.list_tasks(of_.session.key, before));
    Json tasks = Json::array();
    for (const auto& facts : page.tasks) tasks.push_back(task_json(facts, request_.revision));
    Json listed{{"tasks", std::move(tasks)}};
    if (page.more && !page.tasks.empty())
      listed["nextCursor"] = seal_for(of_.context.seal_keys, kCursorPurpose, of_.routed.caller,
                                      {{"before", page.tasks.back().call.call_id},
                                       {"session", of_.session.record.session_key()}},
                                      of_.context.clock.wall() + kCursorLifetime);
    co_return answered(std::move(listed));
  }

  loop::Task<Answered> cancel(TaskFacts facts) {
    if (has_ended(facts)) {
      if (by_server()) co_return answered(Json::object());
      co_return refused(toolway::mcp::kInvalidParams, "the task has ended");
    }
    const std::string reason = "its client cancelled the task";
    CO_RETURN_IF_ERROR(
        co_await of_.ports.cancel_call(of_.routed.caller, facts.call.call_id, reason));
    if (by_server()) co_return answered(Json::object());
    auto task = task_json(facts, request_.revision);
    task["status"] = "cancelled";
    task["statusMessage"] = reason;
    co_return answered(std::move(task));
  }

  loop::Task<Answered> update(TaskFacts facts) {
    const auto* responses = member(request_.request.params, "inputResponses");
    if (responses == nullptr || !responses->is_object() || responses->size() > proto::kMaxQuestions)
      co_return refused(toolway::mcp::kInvalidParams,
                        "params.inputResponses must be an object with at most 100 answers");
    calls::ToAnswer given({}, calls::ToAnswer::Unasked::kLeftOut);
    for (const auto& [key, answer] : responses->items()) {
      if (!answer.is_object())
        co_return refused(toolway::mcp::kInvalidParams,
                          "an answer in params.inputResponses is not an object");
      given.answers.emplace(key, answer);
    }
    if (has_ended(facts)) co_return answered(Json::object());
    auto done = co_await of_.ports.answer_call(of_.routed.caller, facts.call.call_id, given);
    if (!done && done.error().error.code == ErrorCode::kInvalidRequest)
      co_return refused(toolway::mcp::kInvalidParams, done.error().error.message);
    // What was not asked, or is answered already, is left out.
    if (!done && done.error().error.code != ErrorCode::kNotAsked) CO_RETURN_IF_ERROR(done);
    co_return answered(Json::object());
  }

  const TasksAsked& of_;
  const RpcRequest& request_;
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

loop::Task<Answered> answer_tasks(const TasksAsked& of, const RpcRequest& request) {
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
