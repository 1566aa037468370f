#include <fmt/format.h>

#include <algorithm>

#include "tests/chaos/mcp_agent.h"

namespace toolway::chaos {
namespace {

using std::chrono::milliseconds;

/// So often an agent comes back to a call; then the call ends without it.
constexpr unsigned kMaxLooks = 60;

}  // namespace

void McpAgent::tend() {
  const auto at = random_.between(0, open_.size() - 1);
  auto call = std::move(open_[at]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
  ++call.looks;
  const auto due = std::find_if(call.asks.begin(), call.asks.end(), [](const auto& ask) {
    return ask.second.answer_at <= Steady::now();
  });
  const bool retries = !call.state.empty();
  if (retries && (due != call.asks.end() || random_.chance(0.1))) {
    go_on(call);
  } else if (due != call.asks.end()) {
    const auto [key, question] = *due;
    answer(call, key, question);
  } else if (!call.stream.last_id.empty() && random_.chance(0.5)) {
    resume(call);
  } else if (!call.call_id.empty()) {
    const auto dice = random_.between(0, 99);
    if (dice < 45) {
      look_at_task(call);
    } else if (dice < 65) {
      wait_for_result(call);
    } else if (dice < 80) {
      listen_to_task(call);
    } else if (dice < 95) {
      look_over_rest(call);
    } else if (parts_.options.with("cancel")) {
      cancel(call);
    }
  } else if (call.stream.last_id.empty()) {
    // There is nothing that it could ask for.
    call.ended = true;
  }
  if (!call.ended && call.looks < kMaxLooks && !session_.empty()) open_.push_back(std::move(call));
}

void McpAgent::resume(McpCall& call) {
  Exchange made;
  const auto era = call.stream.era;
  const auto session = session_of(era);
  if (session.empty()) return;
  // Some say first that they do not wait for the answer any more.
  if (call.stream.method == "tools/call" && parts_.options.with("cancel") && random_.chance(0.04)) {
    const auto reply =
        wire_.send({.gateway = door_.some_gateway(),
                    .target = "/mcp/" + session_,
                    .body = notification_body("notifications/cancelled",
                                              {{"requestId", call.stream.request_id}}),
                    .headers = headers_of(era, "", {}, session)},
                   [](const OrderedJson&, const std::string&) { return true; });
    parts_.history.note("cancelled", fmt::format("{} {}", call.token, reply.status));
  }
  auto& stretch = made.stretch;
  stretch.method = call.stream.method;
  auto sent = opened(call, made, era);
  stretch.stream = call.stream.name;
  stretch.request_id = std::to_string(call.stream.request_id);
  stretch.progress_token = call.stream.progress_token;
  stretch.logs = call.stream.logs;
  stretch.after = call.stream.last_id.substr(call.stream.last_id.rfind(':') + 1);
  sent.headers = headers_of(era, "", {}, session);
  sent.headers["Last-Event-ID"] = call.stream.last_id;
  carry(call, made, std::move(sent));
  learn(call, made);
}

void McpAgent::go_on(McpCall& call) {
  OrderedJson params{
      {"name", call.tool}, {"arguments", call.arguments}, {"requestState", call.state}};
  std::vector<Given> given;
  for (const auto& [key, question] : call.asks) {
    if (question.answer_at > Steady::now() || random_.chance(0.2)) continue;
    given.push_back({.session = session_,
                     .call_id = call.call_id,
                     .key = key,
                     .value = new_value(),
                     .face = "retry",
                     .at_us = now_us()});
    params["inputResponses"][key] = answer_of(given.back().value);
  }
  // The same once more where nothing was answered.
  for (int again = 0; again < 4 && !*stop_; ++again) {
    if (again > 0) pause(0.1 * (1 << again));
    call.wishes.progress_token =
        random_.chance(0.5) ? fmt::format("p{}-{}", number_, requests_ + 1) : std::string();
    const auto made = exchange(call, Era::k2026_07_28, "tools/call", params, call.wishes);
    const auto* last = made.last();
    for (auto& one : given) {
      one.gateway = made.stretch.gateway;
      one.done_us = now_us();
      const bool again_asked =
          last != nullptr && std::ranges::find(last->asks, one.key) != last->asks.end();
      if (last == nullptr)
        one.said = Given::Effect::kUnknown;
      else if (last->error != 0 || again_asked)
        one.said = Given::Effect::kRefused;
      else
        one.said = Given::Effect::kSettled;
      parts_.history.add(one);
    }
    learn(call, made);
    // What is a task now is told by tasks/update.
    if (last != nullptr && last->task) {
      call.state.clear();
      call.asks.clear();
    }
    if (last != nullptr) return;
  }
}

void McpAgent::note_look(const McpCall& call, const Exchange& exchange, const TaskSeen& task) {
  const auto* last = exchange.last();
  TaskLook look{.user = user_,
                .session = session_,
                .call_id = call.call_id,
                .revision = exchange.stretch.revision,
                .method = exchange.stretch.method,
                .gateway = exchange.stretch.gateway,
                .at_us = exchange.stretch.at_us,
                .done_us = now_us(),
                .task = task};
  if (last != nullptr) {
    look.error = last->error;
    look.said = last->said;
    look.owners = last->owners;
  }
  parts_.history.add(std::move(look));
}

void McpAgent::look_at_task(McpCall& call) {
  const auto era = random_.chance(0.5) ? Era::k2025_11_25 : Era::k2026_07_28;
  const OrderedJson params{{"taskId", call.call_id}};
  const auto made = exchange(call, era, "tasks/get", params, {.tasks = true});
  const auto* last = made.last();
  if (last == nullptr) return;
  const auto task = last->task.value_or(TaskSeen{});
  note_look(call, made, task);
  // Of 2026-07-28 that is how it asks.
  for (const auto& key : task.asks)
    if (call.state.empty() && !call.asks.contains(key)) ask_me(call, key, {});
  if (task.reading) call.ended = true;
}

void McpAgent::wait_for_result(McpCall& call) {
  const auto before = call.stream;
  auto made =
      exchange(call, Era::k2025_11_25, "tasks/result", {{"taskId", call.call_id}}, Wishes{});
  // The other stream is resumed, unless this one can be.
  if (call.stream.last_id.empty()) call.stream = before;
  const auto* last = made.last();
  if (last == nullptr) return;
  if (last->error != 0) note_look(call, made, {});
  learn(call, made);
}

void McpAgent::listen_to_task(McpCall& call) {
  const OrderedJson params{{"notifications", {{"taskIds", OrderedJson::array({call.call_id})}}}};
  Exchange made;
  made.stretch.method = "subscriptions/listen";
  auto sent = opened(call, made, Era::k2026_07_28);
  made.let_go_at = Steady::now() + milliseconds(random_.between(500, 4000));
  const int id = ++requests_;
  made.stretch.stream = made.stretch.request_id = std::to_string(id);
  sent.body = request_body(Era::k2026_07_28, id, made.stretch.method, params, {.tasks = true});
  sent.headers = headers_of(Era::k2026_07_28, made.stretch.method, params, "");
  carry(call, made, std::move(sent));
  for (const auto& message : made.stretch.messages) {
    if (!message.task || message.kind != RpcMessage::Kind::kOther) continue;
    auto look = made;
    look.answer = {};
    note_look(call, look, *message.task);
  }
}

void McpAgent::look_over_rest(McpCall& call) {
  const auto answer = door_.ask(user_, "GET", "/v1/calls/" + call.call_id);
  Door::judge(parts_.history, "show call", answer, {200});
  if (answer.status != 200) return;
  parts_.history.add(look_of(user_, user_, call.call_id, answer));
}

void McpAgent::cancel(McpCall& call) {
  const auto era = random_.chance(0.5) ? Era::k2025_11_25 : Era::k2026_07_28;
  if (random_.chance(0.3)) {
    const auto answer = door_.ask(user_, "POST", "/v1/calls/" + call.call_id + "/cancel", "{}");
    Door::judge(parts_.history, "cancel", answer, {200, 202, 409});
    return;
  }
  const auto made =
      exchange(call, era, "tasks/cancel", {{"taskId", call.call_id}}, {.tasks = true});
  const auto* last = made.last();
  if (last != nullptr && last->error != 0) note_look(call, made, {});
}

}  // namespace toolway::chaos
