#include "tests/simulation/sim_tools.h"

#include <stdexcept>

#include "tests/simulation/fiber_executor.h"
#include "tools/model/tool.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ToolBegan began;

/// Runs for `ms`, reports `reports` times during that, and fails in its first `fails` attempts.
class SimTool final : public tools::model::Tool {
 public:
  SimTool(tools::model::Spec spec, bool ignores_stop)
      : spec_(std::move(spec)), ignores_stop_(ignores_stop) {}
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
    return Json{{"attempt", context.attempt()}};
  }

 private:
  const tools::model::Spec spec_;
  const bool ignores_stop_;
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
    spec.requires_approval = traits.requires_approval && known_as != KnownAs::kFree;
    spec.limits.run = traits.run_limit;
    spec.retry.max_attempts = traits.max_attempts;
    spec.retry.initial_delay = traits.retry_delay;
    spec.retry.max_delay = std::max(spec.retry.max_delay, traits.retry_delay);
    if (traits.listed_codes) spec.retry.codes = {"flaky"};
    const auto added =
        registry->add(std::make_shared<SimTool>(std::move(spec), traits.ignores_stop));
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
  };
  return all;
}

const ToolTraits& traits_of(const std::string& tool) {
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

}  // namespace toolway::simulation
