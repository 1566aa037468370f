#include "tests/chaos/plan.h"

#include <fmt/format.h>

#include <utility>

#include "tests/chaos/event_seen.h"

namespace toolway::chaos {
namespace {

constexpr std::string_view kMark = "plan:";

/// Some are caught by a kill, and some outlive their turn's wait.
std::uint64_t sleep_ms(Randomness& random) {
  const auto dice = random.between(0, 99);
  if (dice < 40) return 0;
  if (dice < 70) return random.between(50, 400);
  return random.between(1000, 4000);
}

PlannedCall make_call(Randomness& random, const std::string& token) {
  const auto dice = random.between(0, 99);
  if (dice < 20) return {"bench__echo", {{"payload", token}}};
  if (dice < 50) return {"chaos__effect", {{"token", token}, {"sleep_ms", sleep_ms(random)}}};
  if (dice < 65) return {"chaos__effect_again", {{"token", token}, {"sleep_ms", sleep_ms(random)}}};
  if (dice < 75)
    return {
        "chaos__steps",
        {{"token", token}, {"count", random.between(1, 8)}, {"sleep_ms", random.between(0, 80)}}};
  if (dice < 82)
    return {"chaos__steps_again",
            {{"token", token}, {"count", random.between(1, 20)}, {"sleep_ms", 100}}};
  if (dice < 88)
    return {"chaos__flaky_again", {{"token", token}, {"failures", random.between(1, 4)}}};
  if (dice < 91) return {"chaos__guarded", {{"token", token}}};
  // Which one, the model knows.
  if (dice < 97) return {"tasks__check_task_status", {{"wait_s", random.between(0, 2)}}};
  return {"tasks__cancel_task", OrderedJson::object()};
}

}  // namespace

Plan make_plan(Randomness& random, const std::string& token) {
  Plan plan{
      .token = token, .rounds = {}, .think_ms = random.chance(0.3) ? random.between(200, 1500) : 0};
  std::size_t calls = 0;
  for (auto rounds = random.between(0, 2); rounds > 0; --rounds) {
    auto& round = plan.rounds.emplace_back();
    for (auto left = random.between(1, 3); left > 0; --left)
      round.push_back(make_call(random, token_of_call(token, ++calls)));
  }
  return plan;
}

std::string message_of(const Plan& plan) {
  auto rounds = OrderedJson::array();
  for (const auto& round : plan.rounds) {
    auto calls = OrderedJson::array();
    for (const auto& call : round)
      calls.push_back({{"tool", call.tool}, {"arguments", call.arguments}});
    rounds.push_back(std::move(calls));
  }
  return std::string(kMark) +
         to_text(OrderedJson{
             {"token", plan.token}, {"think_ms", plan.think_ms}, {"rounds", std::move(rounds)}});
}

std::optional<Plan> read_plan(std::string_view text) {
  const auto at = text.rfind(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kMark.size());
  // What happened elsewhere may be told in the same message.
  const auto json = parse_ordered_json(text.substr(0, text.find('\n')));
  if (!json || !json->is_object() || !json->contains("rounds")) return std::nullopt;
  Plan plan{
      .token = text_at(*json, "token"), .rounds = {}, .think_ms = number_at(*json, "think_ms")};
  for (const auto& round : (*json)["rounds"]) {
    auto& calls = plan.rounds.emplace_back();
    for (const auto& call : round) calls.push_back({text_at(call, "tool"), call["arguments"]});
  }
  return plan;
}

std::string reply_to(const std::string& token) { return "Done with " + token; }

std::string token_of_call(const std::string& message, std::size_t number) {
  return fmt::format("{}_{}.", message.substr(0, message.size() - 1), number);
}

std::string token_of_message(const std::string& call) {
  const auto mark = call.rfind('_');
  return mark == std::string::npos ? call : call.substr(0, mark) + ".";
}

}  // namespace toolway::chaos
