#include "gateway/mcp/followed_call.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/loop/asio_types.h"
#include "gateway/mcp/approval_question.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/session_marks.h"
#include "gateway/mcp/session_tasks.h"
#include "gateway/mcp/stream_id.h"
#include "gateway/mcp/task.h"
#include "gateway/mcp/tool_result.h"
#include "gateway/mcp/whole_result.h"

namespace toolway::gateway::mcp {
namespace {

/// For so long an answer may come alone. A client of 2026-07-28 is told by a status what it has not
/// declared; an older one may cancel its request by its id, which is noted once it is streamed.
constexpr std::chrono::milliseconds kSoon{100};
constexpr std::chrono::milliseconds kSoonStateless{1000};
/// For so long a call that becomes a task may ask before it does.
constexpr std::chrono::milliseconds kFirstQuestions{500};
constexpr int kLooksForQuestions = 10;
constexpr std::chrono::milliseconds kLookAgain{500};

StreamOf stream_of(const FollowedCall& call, const Following& how) {
  return {.session = how.session,
          .call_id = call.request.call_id(),
          .session_key = call.request.session_key(),
          .tool = how.tool,
          .request = call.id,
          .progress_token = how.progress_token,
          .task = !call.task_id.empty()};
}

/// What an answer has besides its text when it comes alone.
struct Besides {
  unsigned status = 200;
  wire::MemoryBudget::Share memory{};
};

loop::Task<std::string> answer_on_stream(std::shared_ptr<FollowedCall> call,
                                         std::shared_ptr<Besides> besides, Json completed) {
  const auto completion = completion_of(completed);
  auto ended = co_await call->ended(completion);
  *besides = {.status = ended.status, .memory = std::move(ended.memory)};
  co_return std::move(ended.text);
}

StreamedCall streamed(const std::shared_ptr<FollowedCall>& call, const Following& how,
                      const std::shared_ptr<Besides>& besides) {
  StreamedCall made{
      .progress_token = how.progress_token,
      .log_level = how.log_level,
      .answer =
          [call, besides](Json completed) {
            return answer_on_stream(call, besides, std::move(completed));
          },
      .ask = [call](Json event,
                    std::size_t before) { return call->asked(std::move(event), before); }};
  if (how.after != wire::EventId{}) made.held = [call] { return call->held(); };
  if (!call->task_id.empty()) made.status = [call] { return call->task_status(); };
  if (call->stateless) {
    // 2026-07-28, basic/transports/streamable-http, "Cancellation".
    made.left = [call] { return call->cancel(); };
    if (how.shown_until_task()) {
      made.task_at = call->context->clock.monotonic() + *how.task_after;
      made.task = call->task_answer();
    }
  } else if (!how.session.empty()) {
    made.stream_id = seal_stream(call->context->seal_keys, call->caller, stream_of(*call, how),
                                 call->context->clock.wall());
    made.after = how.after;
    made.partly = how.partly;
    made.shown = how.shown;
    made.primes = toolway::mcp::rules_of(call->revision).primes_streams;
  }
  return made;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

loop::Task<EndedCall> FollowedCall::ended(const v1::CallEvent& completion) const {
  context->runs.ended(completion);
  if (auto error = protocol_error(completion.completed(), revision)) {
    // What its client has not declared is also in the status.
    const unsigned status =
        stateless && error->code == toolway::mcp::kMissingCapability ? 400 : 200;
    co_return EndedCall{failure_text({.status = status, .id = id, .error = std::move(*error)}),
                        status};
  }
  if (!tool || !needs_whole(completion.completed(), tool->spec(), revision))
    co_return EndedCall{ended_text(completion, {})};
  auto whole = co_await whole_result(read_result, caller, request.call_id(), request.session_key());
  EndedCall made{.text = {}, .memory = std::move(whole.memory)};
  if (whole.text.size() <= loop::WorkPool::kSmall) {
    made.text = ended_text(completion, whole.text);
    co_return made;
  }
  auto write = [call = *this, completion, text = std::move(whole.text)]() -> Result<std::string> {
    return call.ended_text(completion, text);
  };
  auto written = co_await context->plan.threads.run<std::string>(std::move(write));
  made.text = written ? std::move(*written)
                      : failure_text({.id = id,
                                      .error = {.code = toolway::mcp::kInternalError,
                                                .message = written.error().message}});
  co_return made;
}

std::string FollowedCall::ended_text(const v1::CallEvent& completion,
                                     std::string_view whole) const {
  static const tools::model::Spec kNone;
  const auto& spec = tool ? tool->spec() : kNone;
  if (task_id.empty()) return tool_answer(id, completion, request, spec, revision, whole);
  auto result = tool_result(completion, request, spec, revision, whole);
  relate_to_task(result, task_id);
  return answer_text(id, result);
}

loop::Task<wire::Response> FollowedCall::answer(const v1::CallEvent& completion) const {
  auto made = co_await ended(completion);
  auto response = json_response(std::move(made.text), made.status);
  response.memory = std::move(made.memory);
  co_return response;
}

std::string FollowedCall::task_answer() const {
  const auto name = tool ? tool->spec().qualified_name() : std::string();
  return answer_text(id, created_task(request, revision, context->task_times(name)));
}

loop::Task<std::string> FollowedCall::task_status() {
  const auto facts = co_await facts_now();
  if (!facts) co_return std::string();
  co_return notification_text("notifications/tasks/status", task_json(*facts, revision));
}

loop::Task<bool> FollowedCall::held() {
  const auto facts = co_await facts_now();
  co_return facts && facts->call.held;
}

std::string FollowedCall::state(wire::EventId after) const {
  return seal_state(context->seal_keys, caller,
                    {.call_id = request.call_id(),
                     .session_key = request.session_key(),
                     .digest = digest,
                     .after = after},
                    context->clock.wall());
}

loop::Task<StreamedCall::AfterQuestion> FollowedCall::asked(Json event, std::size_t before) {
  const bool held = event.value("type", "") == "approval_requested";
  Json questions = event.value("questions", Json::array());
  if (held) questions = co_await approval_asked();
  auto requests = input_requests(questions);
  const auto all = keys_of(requests);
  for (std::size_t i = 0; i < before && i < all.size(); ++i) requests.erase(all[i]);
  // Its event may be an old one.
  std::optional<std::vector<std::string>> waiting;
  if (late && !held) waiting = co_await keys_waiting();
  if (waiting)
    for (const auto& key : keys_of(requests))
      if (std::ranges::find(*waiting, key) == waiting->end()) requests.erase(key);
  StreamedCall::AfterQuestion asks;
  if (requests.empty()) co_return asks;
  if (stateless) co_return co_await required(std::move(requests), event.value("id", ""));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& key = all[i];
    const auto asking = requests.find(key);
    if (asking == requests.end()) continue;
    const auto& question = *asking;
    const AskedOf one{request.call_id(), key, question["method"].get<std::string>()};
    Json params = question["params"];
    if (!task_id.empty()) relate_to_task(params, task_id);
    auto text = toolway::mcp::encode(toolway::mcp::Request{
        .id = seal_question(context->seal_keys, caller, one, context->clock.wall()),
        .method = one.method,
        .params = std::move(params)});
    asks.messages.push_back({.text = std::move(text), .questions = i + 1});
  }
  co_return asks;
}

loop::Task<Json> FollowedCall::approval_asked() {
  Json questions = Json::array();
  if (!asks_forms) co_return questions;
  const auto facts = co_await facts_now();
  if (facts && facts->approval) questions.push_back(question_json(*facts->approval));
  co_return questions;
}

loop::Task<std::optional<TaskFacts>> FollowedCall::facts_now() {
  const SessionTasks tasks{.context = *context,
                           .read = read_task,
                           .caller = caller,
                           .session_key = request.session_key(),
                           .asks_forms = asks_forms};
  const std::string call = request.call_id();
  auto facts = co_await tasks.find(call);
  if (!facts) co_return std::nullopt;
  co_return std::move(*facts);
}

loop::Task<std::optional<std::vector<std::string>>> FollowedCall::keys_waiting() {
  for (int looks = 0; looks < kLooksForQuestions; ++looks) {
    if (looks > 0) co_await loop::pause(kLookAgain);
    const auto facts = co_await facts_now();
    if (!facts) continue;  // neither the bus nor the store answers
    auto keys = keys_to_ask(*facts);
    if (keys) co_return keys;
  }
  co_return std::nullopt;
}

/// What the client has answered before it was asked need not be asked.
loop::Task<StreamedCall::AfterQuestion> FollowedCall::required(Json requests,
                                                               std::string event_id) {
  calls::ToAnswer to({}, calls::ToAnswer::Unasked::kLeftOut);
  for (const auto& [key, answer] : given)
    if (key != kApprovalKey && requests.contains(key)) to.answers.emplace(key, answer);
  if (!to.answers.empty()) {
    const std::string call = request.call_id();
    // One that is none to its question is asked for again.
    if (const auto last = co_await answer_call(caller, call, to)) {
      for (const auto& [key, answer] : to.answers) requests.erase(key);
      if (requests.empty()) co_return StreamedCall::AfterQuestion{};
    }
  }
  const auto after = wire::parse_event_id(event_id);
  StreamedCall::AfterQuestion asks{.messages = {}, .ends = true};
  asks.messages.push_back(
      {.text = answer_text(
           id, input_required(std::move(requests), state(after ? *after : wire::EventId{})))});
  co_return asks;
}

loop::Task<void> FollowedCall::cancel() {
  const std::string call = request.call_id();
  const std::string reason = "its client closed the stream of its answer";
  const auto done = co_await cancel_call(caller, call, reason);
  if (!done) spdlog::debug("call {} was not cancelled: {}", call, done.error().error.message);
}

void Following::become_task(TaskUse use, const tools::model::Spec& spec) {
  task_always = use == TaskUse::kAfterQuestions;
  if (task_always) task_after = kFirstQuestions;
  // What has asked once may ask again: it is a task when it has not ended soon.
  if (use == TaskUse::kWhenSlow || use == TaskUse::kAtOnce) task_after = spec.inline_wait;
}

loop::Task<wire::HttpResult<wire::Response>> follow_call(FollowedCall call, Following how) {
  const auto& context = *call.context;
  const auto key = SessionKey::parse(call.request.session_key());
  const auto id = CallId::parse(call.request.call_id());
  if (!key || !id) co_return wire::refuse(ErrorCode::kInternal, "a call without a session");
  live::EventScope scope{.session = *key, .call = *id};
  auto feed = std::make_unique<live::Feed>(context.feeds, std::move(scope), how.after, false);
  CO_RETURN_IF_ERROR(co_await feed->begin());
  const auto besides = std::make_shared<Besides>();
  const auto shared = std::make_shared<FollowedCall>(std::move(call));
  auto stream =
      std::make_unique<RpcStream>(std::move(feed), streamed(shared, how, besides), context.clock);
  if (how.task_after && !how.shown_until_task()) {
    co_await stream->gather(*how.task_after);
    if (!stream->ended() || (how.task_always && !stream->asked()))
      co_return json_response(shared->task_answer());
  }
  if (!how.resumed) {
    const auto soon = shared->stateless ? kSoonStateless : kSoon;
    if (auto answer = co_await stream->only_answer(soon)) {
      auto response = json_response(std::move(*answer), besides->status);
      response.memory = std::move(besides->memory);
      co_return response;
    }
    // A task is cancelled by tasks/cancel alone: a client may give up waiting for its result
    // (2025-11-25, basic/utilities/cancellation).
    if (!how.session.empty() && shared->task_id.empty())
      co_await note_request(context.bus, how.session, to_text(id_json(shared->id)), id->text());
  }
  co_return stream_response(std::move(stream));
}

}  // namespace toolway::gateway::mcp
