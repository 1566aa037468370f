#include "tests/simulation/sim_tools.h"

#include <stdexcept>

#include "base/try.h"
#include "tests/simulation/fiber_executor.h"
#include "tools/model/tool.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ToolBegan began;
ToolAnswered answered;

/// Runs for `ms`, reports `reports` times during that, and fails in its first `fails` attempts.
class SimTool final : public tools::model::Tool {
 public:
  SimTool(tools::model::Spec spec, const ToolTraits& traits)
      : spec_(std::move(spec)), ignores_stop_(traits.ignores_stop), asks_(traits.asks) {}
  const tools::model::Spec& spec() const override { return spec_; }

  tools::model::Execution execute(const Json& arguments, tools::model::ToolContext& context,
                                  tools::model::Progress& progress) const override {
    began(context.call_id(), context.attempt(), FiberExecutor::process().name());
    const auto reports = spec_.multi_step ? arguments.value("reports", 0) : 0;
    const Micros each = milliseconds(arguments.value("ms", 0)) / (reports + 1);
    const std::stop_token stop = ignores_stop_ ? std::stop_token() : context.cancellation();
    for (int i = 0; i <= reports; ++i) {
      FiberExecutor::sleep(each, stop);
      if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "told to stop");
      if (i < reports) progress.report({.progress = i + 1.0, .data = i});
    }
    if (static_cast<int>(context.attempt()) <= arguments.value("fails", 0)) {
      tools::model::ToolError error("flaky", "not this time");
      error.retryable = true;
      return tl::unexpected(error);
    }
    if (asks_) RETURN_IF_ERROR(ask(context));
    return Json{{"attempt", context.attempt()}};
  }

 private:
  static tools::model::ToolResult<void> ask(tools::model::ToolContext& context) {
    for (const char* key : kAskedKeys) {
      std::vector<tools::model::Question> questions{
          {.key = key, .method = "sampling/createMessage", .params = Json::object()}};
      ASSIGN_OR_RETURN(const auto answers, context.ask(std::move(questions), {}));
      answered(context.call_id(), key, to_text(answers.front()));
    }
    return {};
  }

  const tools::model::Spec spec_;
  const bool ignores_stop_;
  const bool asks_;
};

std::shared_ptr<const tools::model::Registry> make_registry(KnownAs known_as) {
  auto registry = std::make_shared<tools::model::Registry>();
  for (const auto& traits : tool_traits()) {
    tools::model::Spec spec;
    spec.name = traits.name;
    spec.ns = "sim";
    spec.description = "of the simulation";
    spec.input_schema = {{"type", "object"}};
    spec.idempotent = traits.idempotent || known_as == KnownAs::kIdempotent;
    spec.multi_step = traits.multi_step;
    spec.asks_restart = traits.asks_restart;
    spec.requires_approval = traits.requires_approval && known_as != KnownAs::kFree;
    spec.limits.run = traits.run_limit;
    spec.retry.max_attempts = traits.max_attempts;
    spec.retry.initial_delay = traits.retry_delay;
    spec.retry.max_delay = std::max(spec.retry.max_delay, traits.retry_delay);
    if (traits.listed_codes) spec.retry.codes = {"flaky"};
    const auto added = registry->add(std::make_shared<SimTool>(std::move(spec), traits));
    if (!added) throw std::logic_error(added.error().message);
  }
  return registry;
}

}  // namespace

const std::vector<ToolTraits>& tool_traits() {
  static const std::vector<ToolTraits> all{
      {.name = "safe", .idempotent = true},
      {.name = "once"},
      {.name = "safe_steps", .idempotent = true, .multi_step = true},
      {.name = "once_steps", .multi_step = true},
      {.name = "safe_flaky", .idempotent = true, .max_attempts = 3},
      {.name = "once_flaky", .max_attempts = 3, .listed_codes = true},
      {.name = "slow_flaky", .max_attempts = 2, .listed_codes = true, .retry_delay = seconds(8)},
      {.name = "late_flaky", .max_attempts = 2, .listed_codes = true, .retry_delay = seconds(90)},
      {.name = "stubborn", .run_limit = seconds(5), .ignores_stop = true},
      {.name = "guarded", .requires_approval = true},
      {.name = "guarded_safe", .idempotent = true, .requires_approval = true},
      {.name = "guarded_flaky", .max_attempts = 3, .listed_codes = true, .requires_approval = true},
      {.name = "asks", .idempotent = true, .asks = true},
      {.name = "asks_once", .asks = true},
      {.name = "asks_flaky", .idempotent = true, .max_attempts = 3, .asks = true},
      {.name = "asks_again", .asks = true, .asks_restart = true},
  };
  return all;
}

const ToolTraits& traits_of(const std::string& tool) {
  static const ToolTraits turn{.name = kTurn, .idempotent = true, .max_attempts = 10};
  if (tool == kTurn) return turn;
  for (const auto& traits : tool_traits()) {
    if (traits.name == tool) return traits;
  }
  throw std::logic_error("no tool " + tool);
}

std::shared_ptr<const tools::model::Registry> sim_registry(KnownAs known_as) {
  static const auto honest = make_registry(KnownAs::kWhatTheyAre);
  static const auto all_idempotent = make_registry(KnownAs::kIdempotent);
  static const auto free = make_registry(KnownAs::kFree);
  if (known_as == KnownAs::kFree) return free;
  return known_as == KnownAs::kWhatTheyAre ? honest : all_idempotent;
}

void on_tool_began(ToolBegan told) { began = std::move(told); }
void on_tool_answered(ToolAnswered told) { answered = std::move(told); }

}  // namespace toolway::simulation
