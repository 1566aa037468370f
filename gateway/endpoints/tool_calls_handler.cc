// POST /v1/sessions/{s}/tool_calls: a model's own message in, the messages to append out.
#include "gateway/endpoints/tool_calls_handler.h"

#include <algorithm>
#include <set>

#include "base/reserved_names.h"
#include "base/try.h"
#include "gateway/calls/read_calls.h"
#include "gateway/calls/tool_calls.h"
#include "gateway/loop/give_way.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::endpoints {
namespace {

/// Of all results that one answer carries. They become text inside text; a model gets the others as
/// calls that are still running.
constexpr std::size_t kMaxResultBytes = 1024 * 1024;

/// One call of the message, and how long to wait for it.
struct ModelEntry {
  MonotonicTime deadline{};
  std::string tool;  ///< qualified, or as the model wrote it
  /// What the gateway answers itself, and its answer.
  std::optional<TaskQuestion> question{};
  std::optional<v1::CallEvent> answer{};
};

/// A call of the gateways' own tools is not published. True: it is one.
bool take_question(calls::CallEntry& entry, ModelEntry& model) {
  if (!entry.plan || entry.plan->request.labels().namespace_() != kTasksNamespace) return false;
  auto arguments = parse_json(entry.plan->request.arguments());
  model.question = TaskQuestion{entry.plan->request.labels().tool(),
                                arguments ? *std::move(arguments) : Json::object()};
  entry.plan = wire::refuse(ErrorCode::kInternal, "the gateway answers it");
  return true;
}

/// Those that cannot be run, whatever the tools are: nothing is routed or started for them.
void refuse_wrong(std::vector<tools::exports::ModelCall>& calls,
                  std::vector<calls::CallEntry>& entries) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].wrong) entries[i].refused = wire::Problem{.error = std::move(*calls[i].wrong)};
  }
}

/// What models call the tools of a session.
struct Names {
  const tools::exports::ApiNames& granted;
  const tools::exports::ApiNames& every;
};

/// The plan of one call; the model is told its problem.
loop::Task<wire::HttpResult<calls::PlannedCall>> plan(const calls::PlanContext& context,
                                                      const wire::RoutedRequest& routed,
                                                      const sessions::Session& session,
                                                      const Names& names,
                                                      tools::exports::ModelCall& call,
                                                      ModelEntry& entry) {
  entry.tool = call.tool;
  auto qualified = names.granted.resolve(call.tool);
  if (!qualified) {
    // What is not granted is refused as such, and never suggested.
    if (auto there = names.every.resolve(call.tool)) qualified = std::move(there);
  }
  if (!qualified) {
    wire::Problem problem{.error = std::move(qualified.error())};
    if (problem.error.code == ErrorCode::kUnknownTool)
      problem.suggestions = names.granted.nearest(call.tool);
    co_return wire::refuse(std::move(problem));
  }
  entry.tool = *qualified;
  calls::CallBody body{.tool = std::move(*qualified),
                       .arguments = std::move(call.arguments),
                       .arguments_text = std::move(call.arguments_text),
                       .tool_call_id = call.id};
  auto planned = co_await calls::plan_request(context, routed, session, std::move(body));
  if (planned) planned->request.set_face(routed.acting != nullptr ? "chat" : "model");
  co_return planned;
}

/// Nothing when at least one call reached the bus, or was never meant for it; otherwise why the
/// request as a whole may be sent again.
std::optional<wire::Problem> not_taken(const std::vector<calls::CallEntry>& entries) {
  const calls::CallEntry* refused = nullptr;
  for (const calls::CallEntry& entry : entries) {
    if (!entry.plan) continue;
    if (!entry.refused || entry.refused->error.code == ErrorCode::kAcceptUnknown ||
        wire::status_of(*entry.refused) != 503) {
      return std::nullopt;
    }
    refused = &entry;
  }
  return refused != nullptr ? refused->refused : std::nullopt;
}

/// Of a message in Toolway's own form, which is sent again with its key: a result that another
/// request is about to know is none.
std::optional<wire::Problem> not_known(const std::vector<calls::CallEntry>& entries) {
  for (const calls::CallEntry& entry : entries) {
    if (entry.refused && entry.refused->error.code == ErrorCode::kRequestInFlight)
      return entry.refused;
  }
  return not_taken(entries);
}

/// Nothing is made: those that were not made have no plan afterwards. Errors: nothing is known.
loop::Task<wire::HttpResult<void>> give_up(const calls::KeyContext& context,
                                           const wire::RoutedRequest& routed,
                                           std::vector<calls::CallEntry>& entries) {
  const auto owner = wire::owner_name(routed.caller.tenant_id, routed.caller.user_id);
  for (calls::CallEntry& entry : entries) {
    if (!entry.key) {
      // It cannot be run, whatever the tools are.
      if (entry.refused) continue;
      co_return wire::refuse(
          wire::invalid_parameter("start", "required", "needs the Idempotency-Key of the calls"));
    }
    CO_RETURN_IF_ERROR(co_await calls::give_up(context, owner, entry));
    entry.makes_nothing = true;
  }
  co_return wire::HttpResult<void>();
}

loop::Task<void> answer_questions(const TasksContext& tasks, const wire::RoutedRequest& routed,
                                  const sessions::Session& session,
                                  std::vector<ModelEntry>& models) {
  for (auto& model : models) {
    if (!model.question) continue;
    auto answer = co_await answer_task(tasks, routed, session, *std::move(model.question));
    model.answer = std::move(answer);
  }
}

/// Whether the model has to know now: a call that waits for approval may wait for a day. What
/// became of one that was asked for before may be known.
bool is_detached(const calls::CallEntry& entry) {
  return entry.refused || !entry.wait || (entry.plan->request.has_hold() && !entry.replayed);
}

/// Waits for each call until its own deadline.
loop::Task<void> wait_for_each(const calls::WaitContext& context,
                               std::vector<calls::CallEntry>& entries,
                               const std::vector<ModelEntry>& models, loop::Timer& wake,
                               wire::PeerWatch& peer) {
  std::set<MonotonicTime> deadlines;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!is_detached(entries[i])) deadlines.insert(models[i].deadline);
  }
  for (const auto deadline : deadlines) {
    std::vector<calls::CallWait*> waits;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!is_detached(entries[i]) && models[i].deadline >= deadline)
        waits.push_back(entries[i].wait.get());
    }
    co_await calls::wait_for(context, waits, wake, deadline, peer);
    if (peer.gone() || context.drain.begun()) co_return;
  }
}

/// A message of a model, call by call.
struct Message {
  std::vector<tools::exports::ModelCall>& calls;
  std::vector<calls::CallEntry>& entries;
  std::vector<ModelEntry>& models;
};

/// Plans each call that its key has not decided, and says how long the answer waits for it.
loop::Task<void> prepare(const PostContext& context, const calls::ToolCallsQuery& query,
                         const wire::RoutedRequest& routed, const sessions::Session& session,
                         const Names& names, Message& message) {
  const auto begun = context.run.waits.clock.monotonic();
  for (std::size_t i = 0; i < message.entries.size(); ++i) {
    calls::CallEntry& entry = message.entries[i];
    ModelEntry& model = message.models[i];
    if (entry.plan) {
      model.tool = proto::qualified_name(entry.plan->request.labels());
    } else if (entry.refused) {
      model.tool = message.calls[i].tool;
    } else if (entry.makes_nothing) {
      model.tool = message.calls[i].tool;
      continue;
    } else {
      auto planned = co_await plan(context.plan, routed, session, names, message.calls[i], model);
      entry.plan = std::move(planned);
      co_await loop::give_way();
      if (!entry.plan) entry.refused = entry.plan.error();
    }
    if (entry.refused || take_question(entry, model)) continue;
    // A noted call's tool may be gone by now.
    const auto& tool = entry.plan->tool;
    const auto spec_wait = tool ? tool->spec().inline_wait : std::chrono::milliseconds(0);
    const auto wait = std::min(query.inline_wait.value_or(spec_wait), calls::kMaxInlineWait);
    entry.waits = wait.count() > 0;
    model.deadline = begun + wait;
  }
}

/// The answer for a call; nothing else needs its entry afterwards.
calls::AnsweredCall answered(calls::CallEntry& entry, ModelEntry& model,
                             const tools::exports::ModelCall& call) {
  calls::AnsweredCall state{.tool_call_id = call.id,
                            .tool = std::move(model.tool),
                            .custom = call.custom,
                            .refused = std::move(entry.refused)};
  if (state.refused) return state;
  if (!entry.plan && entry.makes_nothing) {
    state.never_started = true;
    return state;
  }
  if (model.answer) {
    state.completion = std::move(model.answer);
    return state;
  }
  state.request = std::move(entry.plan->request);
  if (entry.wait) state.completion = entry.wait->take_completion();
  return state;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_tool_calls(const PostContext& context,
                                                             catalogue::ToolsView& tools,
                                                             const answers::AnswerRoom& answers,
                                                             const TasksContext& tasks,
                                                             const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(const auto query, calls::parse_tool_calls_query(routed.target));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  const auto parse = [api = query.api, most = context.max_arguments_bytes](wire::ParsedBody body) {
    return calls::parse_tool_calls(std::move(body), api, most);
  };
  CO_ASSIGN_OR_RETURN(auto read, co_await calls::read_calls<std::vector<tools::exports::ModelCall>>(
                                     context.plan.threads, routed, parse));
  auto& calls = read.calls;
  CO_ASSIGN_OR_RETURN(const auto seen, co_await tools.set_of(session->namespaces, routed.grants));
  CO_ASSIGN_OR_RETURN(const auto every, co_await tools.set_of(session->namespaces));
  const Names names{seen->names, every->names};
  std::vector<calls::CallEntry> entries(calls.size());
  std::vector<ModelEntry> models(calls.size());
  refuse_wrong(calls, entries);
  CO_RETURN_IF_ERROR(co_await calls::look_up_keys(context.run.keys, routed, session->key,
                                                  std::move(read.payload_sha256), entries));
  if (!query.start) {
    CO_RETURN_IF_ERROR(co_await give_up(context.run.keys, routed, entries));
  }
  Message message{.calls = calls, .entries = entries, .models = models};
  co_await prepare(context, query, routed, *session, names, message);
  loop::Timer wake(co_await asio::this_coro::executor);
  calls::WaitRoom room{kMaxResultBytes};
  co_await calls::run_calls(context.run, entries, wake, room);
  if (auto problem = query.api ? not_taken(entries) : not_known(entries))
    co_return wire::refuse(std::move(*problem));
  co_await answer_questions(tasks, routed, *session, models);
  co_await wait_for_each(context.run.waits, entries, models, wake, *routed.request.watch);
  wire::Response response{.headers = calls::replay_header(entries)};
  std::vector<calls::AnsweredCall> states;
  states.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].refused) count_refusal(context, routed.caller, *entries[i].refused);
    states.push_back(answered(entries[i], models[i], calls[i]));
  }
  const std::size_t cost = calls::writing_cost(states);
  auto write = [api = query.api, states = std::move(states),
                request_id = routed.request.request_id](std::string& out) {
    out = calls::tool_calls_json(api, states, request_id);
  };
  co_return co_await answers::written(answers, std::move(response), cost, answers::Sent::kAlways,
                                      std::move(write));
}

}  // namespace toolway::gateway::endpoints
