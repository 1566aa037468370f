#include "chat/turns/turn_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/strict_object.h"

namespace toolway::chat::turns {

Json with_options(const Json& kept, const Json& asked, const TurnOptions& usual) {
  Json options = Json::object();
  if (kept.is_object()) {
    for (const auto& [name, value] : kept.items()) {
      Mistakes mistakes;
      read_turn_options(Json{{name, value}}, usual, mistakes);
      if (mistakes.count() == 0) options[name] = value;
    }
  }
  if (asked.is_object()) options.update(asked);
  return options;
}

TurnOptions read_turn_options(const Json& options, const TurnOptions& usual, Mistakes& mistakes) {
  TurnOptions read = usual;
  if (options.is_null()) return read;
  StrictObject<Json> object(options, mistakes, "/options");
  auto& engine = read.engine;
  if (const auto* model = object.text("model")) {
    if (*model != engine.options.model &&
        std::ranges::find(usual.models, *model) == usual.models.end())
      object.wrong("model", usual.models.empty() ? "the operator lets turns choose no model"
                                                 : fmt::format("the operator allows {}",
                                                               fmt::join(usual.models, ", ")));
    engine.options.model = *model;
  }
  object.text("system_prompt", engine.system_prompt);
  object.text("continuation_prompt", engine.continuation_prompt);
  object.text("tool_choice", engine.options.tool_choice);
  if (engine.options.tool_choice.empty())
    object.wrong("tool_choice", "write auto, none, required, or the model's name of a tool");
  if (object.find("temperature") != nullptr) {
    double temperature = engine.options.temperature.value_or(0);
    object.number("temperature", temperature, {.least = 0, .most = 2});
    engine.options.temperature = temperature;
  }
  object.whole("max_tokens", engine.options.max_tokens,
               {.least = 1, .most = usual.engine.options.max_tokens});
  object.whole("max_iterations", engine.limits.max_iterations,
               {.least = 1, .most = usual.engine.limits.max_iterations});
  object.whole("max_history", engine.max_history, {.least = 0, .most = 1'000'000});
  object.flag("enable_summarization", engine.enable_summarization);
  if (engine.enable_summarization && !usual.may_summarize)
    object.wrong("enable_summarization", "the operator does not allow summaries");
  object.whole("inline_ms", read.inline_ms, {.least = 0, .most = 300'000});
  if (object.find("on_completion") != nullptr)
    read.wakes = object.choice("on_completion", {"wait", "turn"}) == "turn";
  if (const auto what = object.choice("inject", {"completions", "progress", "none"}); !what.empty())
    engine.inject = what == "none"       ? engine::Inject::kNone
                    : what == "progress" ? engine::Inject::kProgress
                                         : engine::Inject::kCompletions;
  // A turn that is told nothing need not begin.
  if (engine.inject == engine::Inject::kNone) read.wakes = false;
  object.nothing_else();
  return read;
}

}  // namespace toolway::chat::turns
