#include "tests/chaos/call_choice.h"

#include "tests/chaos/control.h"

namespace toolway::chaos {
namespace {

/// Mostly short, sometimes 50 ms, now and then long enough to be caught by a kill.
std::uint64_t sleep_ms(Randomness& random) {
  const auto dice = random.between(0, 99);
  if (dice < 60) return 0;
  if (dice < 92) return 50;
  return random.between(1000, 4000);
}

CallChoice effect(Randomness& random, const char* tool, const std::string& token) {
  CallChoice choice{tool, {{"token", token}, {"sleep_ms", sleep_ms(random)}}, nullptr};
  if (random.chance(0.05)) {
    choice.arguments["sleep_ms"] = 3000;
    choice.limits = {{"run_ms", 400}};
  } else if (random.chance(0.03)) {
    choice.limits = {{"queue_ms", 2000}, {"total_ms", 20000}};
  }
  return choice;
}

CallChoice steps(Randomness& random, const char* tool, const std::string& token) {
  const auto slow = random.chance(0.1);
  return {tool,
          {{"token", token},
           {"count", random.between(1, slow ? 40 : 8)},
           {"sleep_ms", slow ? 120 : random.between(0, 20)}},
          nullptr};
}

}  // namespace

ToolRules rules_of(const std::string& tool) {
  const auto name = tool.substr(tool.find('.') + 1);
  if (name == "turn" || name == "echo" || name == "stream" || name == "command_again") return {};
  if (name == "flaky_coded") return {.idempotent = false, .leaves_traces = true, .attempts = 3};
  return {.idempotent = name.ends_with("_again"), .leaves_traces = true};
}

CallChoice choose_call(Randomness& random, const std::string& token) {
  const auto dice = random.between(0, 999);
  if (dice < 450) return {"bench.echo", {{"payload", token}}, nullptr};
  if (dice < 460) return {"bench.echo", {{"payload", token + std::string(100000, 'p')}}, nullptr};
  if (dice < 560)
    return {"bench.stream", {{"payload", token}, {"chunks", random.between(1, 30)}}, nullptr};
  // Long and often enough that more than two would run at once.
  if (dice < 590)
    return {
        "chaos.pair_again", {{"token", token}, {"sleep_ms", random.between(100, 500)}}, nullptr};
  if (dice < 670) return effect(random, "chaos.effect", token);
  if (dice < 690) return {kBarredTool, {{"token", token}}, nullptr};
  if (dice < 790) return effect(random, "chaos.effect_again", token);
  if (dice < 860) return steps(random, "chaos.steps", token);
  if (dice < 930) return steps(random, "chaos.steps_again", token);
  if (dice < 955)
    return {"chaos.flaky_again", {{"token", token}, {"failures", random.between(1, 4)}}, nullptr};
  if (dice < 965)
    return {"chaos.flaky_coded", {{"token", token}, {"failures", random.between(1, 3)}}, nullptr};
  if (dice < 980)
    return {"chaos.large_again",
            {{"token", token}, {"bytes", random.between(270000, 1500000)}},
            nullptr};
  if (dice < 990) return effect(random, "chaos.guarded", token);
  return {"chaos.command_again", {{"token", token}}, nullptr};
}

CallChoice choose_mcp_call(Randomness& random, const std::string& token) {
  const auto dice = random.between(0, 99);
  if (dice < 20) {
    const char* tool = dice < 8 ? "chaos.ask" : "chaos.ask_again";
    return {tool,
            {{"token", token}, {"count", random.between(1, 2)}, {"together", random.chance(0.4)}},
            nullptr};
  }
  if (dice < 45) {
    const bool again = dice >= 30;
    auto choice = steps(random, again ? "chaos.steps_again" : "chaos.steps", token);
    choice.arguments["logs"] = random.chance(0.6);
    if (again && random.chance(0.3)) choice.arguments["failures"] = random.between(1, 2);
    return choice;
  }
  auto choice = choose_call(random, token);
  choice.limits = nullptr;
  // What a policy says of it is judged over REST.
  if (choice.tool == kBarredTool) choice.tool = "chaos.effect_again";
  return choice;
}

}  // namespace toolway::chaos
