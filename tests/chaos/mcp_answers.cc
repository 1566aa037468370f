#include <fmt/format.h>

#include "tests/chaos/mcp_agent.h"
#include "tests/chaos/mcp_view.h"

namespace toolway::chaos {
namespace {

using std::chrono::milliseconds;

constexpr int kTries = 4;
constexpr std::chrono::seconds kSweepInterval{10};
/// After that a call has no one who comes back to it.
constexpr std::chrono::microseconds kOld{std::chrono::seconds(45)};

}  // namespace

std::string McpAgent::new_value() {
  // Some say no.
  return random_.chance(0.08) ? std::string() : fmt::format("v{}-{}", number_, values_++);
}

void McpAgent::ask_me(McpCall& call, const std::string& key, OrderedJson request_id) {
  const auto dice = random_.between(0, 99);
  milliseconds after{0};
  if (dice >= 60 && dice < 85) after = milliseconds(random_.between(50, 1500));
  if (dice >= 85 && dice < 97) after = milliseconds(random_.between(2000, 8000));
  // Longer than a call waits in its worker.
  if (dice >= 97) after = milliseconds(random_.between(31000, 38000));
  call.asks[key] = {std::move(request_id), Steady::now() + after};
}

void McpAgent::answer(McpCall& call, const std::string& key, OpenQuestion question) {
  // Twice, in other words and by another way: the first one counts.
  const auto answers = random_.chance(0.2) ? 2 : 1;
  bool said = false;
  for (int i = 0; i < answers; ++i) {
    Given given{.session = session_, .call_id = call.call_id, .key = key, .value = new_value()};
    for (int again = 0; again < kTries && !*stop_; ++again) {
      if (again > 0) pause(0.1 * (1 << again));
      given.at_us = now_us();
      given.said = say(call, given, question.request_id);
      given.done_us = now_us();
      parts_.history.add(given);
      if (given.said != Given::Effect::kUnknown) break;
    }
    said = said || given.said != Given::Effect::kUnknown;
  }
  if (said)
    call.asks.erase(key);
  else
    call.asks[key].answer_at = Steady::now() + milliseconds(500);
}

void McpAgent::answer_old_questions() {
  next_sweep_ = Steady::now() + kSweepInterval;
  std::vector<CallRow> old;
  for (const char* tool : {"chaos.ask", "chaos.ask_again"}) {
    const auto listed =
        door_.ask(user_, "GET", fmt::format("/v1/calls?tool={}&state=running&limit=100", tool));
    Door::judge(parts_.history, "list calls", listed, {200});
    if (listed.status != 200) continue;
    for (const auto& call : listed.json.value("calls", OrderedJson::array()))
      if (parse_time(text_at(call, "submitted_at")) < now_us() - kOld.count())
        old.push_back({.call_id = text_at(call, "call_id"),
                       .user = user_,
                       .session = text_at(call, "session_id")});
  }
  answer_the_rest(old, parts_.entrance, random_, parts_.history);
}

Given::Effect McpAgent::say(const McpCall& call, Given& given, const OrderedJson& request_id) {
  const auto dice = random_.between(0, 9);
  if (!request_id.is_null() && (dice < 6 || call.call_id.empty()))
    return say_by_response(given, request_id);
  return dice < 8 ? say_by_rest(given) : say_by_update(call, given);
}

Given::Effect McpAgent::say_by_response(Given& given, const OrderedJson& request_id) {
  const auto era = random_.chance(0.5) ? Era::k2025_11_25 : Era::k2025_06_18;
  const auto known = mcp_sessions_.find(era);
  given.face = "response";
  given.gateway = door_.some_gateway();
  const auto reply = second_wire_.send(
      {.gateway = given.gateway,
       .target = "/mcp/" + session_,
       .body = response_body(request_id, answer_of(given.value)),
       .headers = headers_of(era, "", {}, known == mcp_sessions_.end() ? "" : known->second),
       .first_byte = milliseconds(14000)},
      [](const OrderedJson&, const std::string&) { return true; });
  if (reply.status == 202) return Given::Effect::kSettled;
  if (reply.status == 400) return Given::Effect::kRefused;
  if (reply.status != 0 && reply.status != 503)
    parts_.history.odd(
        fmt::format("a response to a question: {} {}", reply.status, text_at(reply.json, "code")));
  return Given::Effect::kUnknown;
}

Given::Effect McpAgent::say_by_rest(Given& given) {
  const auto body = OrderedJson{{"answers", {{given.key, answer_of(given.value)}}}};
  const auto answer =
      door_.ask(user_, "POST", "/v1/calls/" + given.call_id + "/input", to_text(body));
  Door::judge(parts_.history, "input", answer, {200, 409});
  given.face = "rest";
  given.gateway = answer.gateway;
  if (answer.status == 200) return Given::Effect::kTaken;
  return answer.status == 409 ? Given::Effect::kRefused : Given::Effect::kUnknown;
}

Given::Effect McpAgent::say_by_update(const McpCall& call, Given& given) {
  given.face = "update";
  const OrderedJson params{{"taskId", given.call_id},
                           {"inputResponses", {{given.key, answer_of(given.value)}}}};
  given.gateway = door_.some_gateway();
  OrderedJson said;
  const auto reply = second_wire_.send(
      {.gateway = given.gateway,
       .target = "/mcp/" + session_,
       .body = request_body(Era::k2026_07_28, ++requests_, "tasks/update", params, {.tasks = true}),
       .headers = headers_of(Era::k2026_07_28, "tasks/update", params, ""),
       .first_byte = milliseconds(14000)},
      [&](const OrderedJson& message, const std::string&) {
        said = message;
        return true;
      });
  if (said.is_object() && said.contains("result")) return Given::Effect::kSettled;
  if (!said.is_object()) return Given::Effect::kUnknown;
  const auto seen = read_message(said, {});
  parts_.history.odd(fmt::format("tasks/update: {} {}, {}", reply.status, seen.error, seen.said));
  TaskLook look{.user = user_,
                .session = session_,
                .call_id = call.call_id,
                .revision = "2026-07-28",
                .method = "tasks/update",
                .gateway = given.gateway,
                .at_us = given.at_us,
                .done_us = now_us(),
                .error = seen.error,
                .said = seen.said};
  parts_.history.add(std::move(look));
  return Given::Effect::kRefused;
}

}  // namespace toolway::chaos
