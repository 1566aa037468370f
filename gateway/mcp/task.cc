#include "gateway/mcp/task.h"

#include <fmt/format.h>

#include "gateway/calls/answer_plan.h"
#include "gateway/calls/call_json.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/tool_result.h"
#include "gateway/wire/json_text.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using tools::model::Spec;
using tools::model::TaskMode;
using toolway::mcp::Revision;
using toolway::mcp::RpcError;
using toolway::mcp::Tasks;

constexpr const char* kRelated = "io.modelcontextprotocol/related-task";

bool decided_by_server(Revision revision) {
  return toolway::mcp::rules_of(revision).tasks == Tasks::kByServer;
}

/// Questions that wait for an answer.
std::vector<v1::Question> asked(const TaskFacts& facts) {
  if (facts.approval) return {*facts.approval};
  return calls::waiting_questions(facts.last);
}

std::string_view status_of(const TaskFacts& facts, Revision revision) {
  if (!facts.call.completion) return asked(facts).empty() ? "working" : "input_required";
  const auto& completed = facts.call.completion->completed();
  if (completed.outcome() == v1::OUTCOME_SUCCEEDED) return "completed";
  if (completed.outcome() == v1::OUTCOME_CANCELLED) return "cancelled";
  // What a model reads is a result there, and only an error of the protocol is a failure.
  return decided_by_server(revision) && !protocol_error(completed, revision) ? "completed"
                                                                             : "failed";
}

std::string progress_text(const v1::Progress& progress) {
  std::string text = progress.step();
  if (!progress.message().empty()) text += (text.empty() ? "" : ": ") + progress.message();
  if (progress.total() > 0)
    text +=
        fmt::format("{}{} of {}", text.empty() ? "" : ", ", progress.progress(), progress.total());
  return text;
}

/// Empty: the status says it all.
std::string status_message(const TaskFacts& facts) {
  const auto& call = facts.call;
  if (call.completion) return call.completion->completed().error().message();
  if (facts.approval) return "it waits for your approval";
  if (!asked(facts).empty()) return "it waits for an answer";
  if (facts.last && facts.last->has_progress()) return progress_text(facts.last->progress());
  if (call.held) return "it waits for approval";
  const bool runs = !call.retry_at && (call.attempt > 0 || call.started_at);
  return runs ? "it runs" : "it waits for a worker";
}

WallTime updated_at(const TaskFacts& facts) {
  const auto& call = facts.call;
  if (call.completion && call.completion->time_us() > 0)
    return from_unix_us(call.completion->time_us());
  if (facts.last && facts.last->time_us() > 0) return from_unix_us(facts.last->time_us());
  return call.started_at ? *call.started_at : call.submitted_at;
}

v1::CallRequest ids_of(const persistence::store::RecordedCall& call) {
  v1::CallRequest ids;
  ids.set_call_id(call.call_id);
  ids.set_session_key(call.session_key);
  return ids;
}

}  // namespace

tl::expected<TaskUse, RpcError> task_use(const Spec& spec, Revision revision,
                                         const TaskWish& wish) {
  const auto refused = [](std::string message) {
    return tl::unexpected(
        RpcError{.code = toolway::mcp::kMethodNotFound, .message = std::move(message)});
  };
  switch (toolway::mcp::rules_of(revision).tasks) {
    case Tasks::kNone: return TaskUse::kNever;
    case Tasks::kByClient:
      if (wish.asked && spec.task == TaskMode::kForbidden)
        return refused("this tool cannot be called as a task");
      if (!wish.asked && spec.task == TaskMode::kRequired)
        return refused("this tool can be called as a task only: params.task is missing");
      return wish.asked ? TaskUse::kAtOnce : TaskUse::kNever;
    case Tasks::kByServer: break;
  }
  if (!wish.declared && spec.task == TaskMode::kRequired)
    return tl::unexpected(tasks_not_declared());
  if (!wish.declared || spec.task == TaskMode::kForbidden) return TaskUse::kNever;
  if (spec.task == TaskMode::kRequired) return TaskUse::kAfterQuestions;
  if (!spec.multi_step) return TaskUse::kWhenSlow;
  // Progress is shown on the answer's stream alone.
  return wish.progress ? TaskUse::kWhenHeld : TaskUse::kAtOnce;
}

std::optional<std::string> wrong_task_params(const Json& task) {
  if (!task.is_object()) return "params.task must be an object";
  const auto ttl = task.find("ttl");
  if (ttl == task.end() || ttl->is_null()) return std::nullopt;
  if (!ttl->is_number() || ttl->get<double>() < 0)
    return "params.task.ttl must be a number of milliseconds";
  return std::nullopt;
}

RpcError tasks_not_declared() {
  return {.code = toolway::mcp::kMissingCapability,
          .message = fmt::format("this needs a client that declares {}", kTasksExtension),
          .data = {{"requiredCapabilities",
                    {{"extensions", {{std::string(kTasksExtension), Json::object()}}}}}}};
}

bool has_ended(const TaskFacts& facts) { return facts.call.completion.has_value(); }

std::optional<std::vector<std::string>> keys_to_ask(const TaskFacts& facts) {
  std::vector<std::string> keys;
  if (has_ended(facts)) return keys;
  if (!facts.last) return std::nullopt;
  if (facts.last->has_cancel_requested()) return keys;
  for (const auto& question : facts.last->questions())
    if (question.answer().empty()) keys.push_back(question.key());
  return keys;
}

Json task_json(const TaskFacts& facts, Revision revision) {
  const bool modern = decided_by_server(revision);
  Json task{{"taskId", facts.call.call_id},
            {"status", status_of(facts, revision)},
            {"createdAt", wire::time_text(facts.call.submitted_at)},
            {"lastUpdatedAt", wire::time_text(updated_at(facts))}};
  if (auto message = status_message(facts); !message.empty())
    task["statusMessage"] = std::move(message);
  const auto& [poll, ttl] = facts.times;
  task[modern ? "ttlMs" : "ttl"] = ttl ? Json(ttl->count()) : Json();
  task[modern ? "pollIntervalMs" : "pollInterval"] = poll.count();
  return task;
}

Json detailed_task(const TaskFacts& facts, const Spec& spec, Revision revision,
                   std::string_view whole) {
  auto task = task_json(facts, revision);
  const auto& call = facts.call;
  if (!call.completion) {
    if (const auto questions = asked(facts); !questions.empty())
      task["inputRequests"] = input_requests(questions);
    return task;
  }
  if (task["status"] == "completed")
    task["result"] = tool_result(*call.completion, ids_of(call), spec, revision, whole);
  if (task["status"] == "failed") {
    const auto error = protocol_error(call.completion->completed(), revision);
    task["error"] = {{"code", error ? error->code : 0}, {"message", error ? error->message : ""}};
    if (error && !error->data.is_null()) task["error"]["data"] = error->data;
  }
  return task;
}

Json created_task(const v1::CallRequest& request, Revision revision, const TaskTimes& times) {
  TaskFacts facts(calls::call_of(request));
  facts.times = times;
  facts.call.held = request.has_hold();
  auto task = task_json(facts, revision);
  if (decided_by_server(revision)) {
    task["resultType"] = "task";
    return task;
  }
  return {{"task", std::move(task)},
          {"_meta",
           {{"io.modelcontextprotocol/model-immediate-response", calls::accepted_json(request)}}}};
}

void relate_to_task(Json& result, const std::string& task_id) {
  result["_meta"][kRelated] = {{"taskId", task_id}};
}

}  // namespace toolway::gateway::mcp
