#include "tools/specs/spec_fields.h"

#include <algorithm>
#include <array>

#include "tools/specs/bounds.h"

namespace toolway::tools::specs {
namespace {

constexpr std::array kAggregates{model::Aggregate::kLast, model::Aggregate::kBlocks,
                                 model::Aggregate::kSteps};
constexpr std::array kTaskModes{model::TaskMode::kForbidden, model::TaskMode::kOptional,
                                model::TaskMode::kRequired};

/// What becomes of a call whose tool asks, and is not answered soon.
enum class Asks { kWait, kRestart };
constexpr std::array kAsks{Asks::kWait, Asks::kRestart};
std::string_view asks_name(Asks asks) { return asks == Asks::kWait ? "wait" : "restart"; }

template <typename T>
Range<T> range(Ranges ranges, T least, T most) {
  return ranges == Ranges::kDocumented ? Range<T>{least, most} : Range<T>{};
}

void read_json(Fields& fields, std::string_view name, OrderedJson& to) {
  if (const auto* value = fields.value(name)) to = to_json(*value);
}

void read_limits(Fields& fields, model::Limits& limits, Ranges ranges) {
  const auto* map = fields.map("limits");
  if (map == nullptr) return;
  Fields inside(*map, "`limits`", fields.mistakes());
  const auto allowed = range<std::int64_t>(ranges, 0, kMaxLimit.count());
  inside.milliseconds("queue_ms", limits.queue, allowed);
  inside.milliseconds("run_ms", limits.run, allowed);
  inside.milliseconds("total_ms", limits.total, allowed);
  inside.milliseconds("heartbeat_ms", limits.heartbeat, allowed);
  inside.nothing_else();
}

void read_retry(Fields& fields, model::RetryPolicy& retry, Ranges ranges) {
  const auto* map = fields.map("retry");
  if (map == nullptr) return;
  Fields inside(*map, "`retry`", fields.mistakes());
  const auto delay = range<std::int64_t>(ranges, 0, kMaxRetryDelay.count());
  inside.whole<unsigned>("max_attempts", retry.max_attempts,
                         range<unsigned>(ranges, 1, kMaxAttempts));
  inside.milliseconds("initial_delay_ms", retry.initial_delay, delay);
  inside.number("factor", retry.factor, range<double>(ranges, 1, kLargestRetryFactor));
  inside.milliseconds("max_delay_ms", retry.max_delay, delay);
  inside.texts("codes", retry.codes);
  inside.nothing_else();
}

/// One of `all`, by its name; `choices` says which there are.
template <typename Value, std::size_t Count>
void read_choice(Fields& fields, const char* field, Value& to, const std::array<Value, Count>& all,
                 std::string_view (*name_of)(Value), std::string_view choices) {
  std::string name(name_of(to));
  fields.text(field, name);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](Value value) { return name_of(value) == name; });
  if (found == all.end())
    fields.mistakes().add(fields.line_of(field), fmt::format("`{}` must be {}", field, choices));
  else
    to = *found;
}

void read_result(Fields& fields, model::ResultForm& result, Ranges ranges) {
  const auto* map = fields.map("result");
  if (map == nullptr) return;
  Fields inside(*map, "`result`", fields.mistakes());
  const auto before = fields.mistakes().count();
  inside.whole<std::size_t>("inline_bytes", result.inline_bytes,
                            range<std::size_t>(ranges, 1, kMaxInlineBytes), "bytes");
  inside.whole<std::size_t>("max_bytes", result.max_bytes,
                            range<std::size_t>(ranges, 1, kMaxResultBytes), "bytes");
  if (ranges == Ranges::kDocumented && result.inline_bytes > result.max_bytes &&
      fields.mistakes().count() == before) {
    // A small cap alone is clear enough: nothing over it is ever inline.
    if (find(*map, "inline_bytes") == nullptr) {
      result.inline_bytes = result.max_bytes;
    } else {
      fields.mistakes().add(inside.line_of("inline_bytes"),
                            "`inline_bytes` must not be more than `max_bytes`");
    }
  }
  read_choice(inside, "aggregate", result.aggregate, kAggregates, model::aggregate_name,
              "last, blocks or steps");
  inside.nothing_else();
}

}  // namespace

void read_adjustable(Fields& fields, model::Spec& spec, Ranges ranges) {
  fields.text("description", spec.description);
  fields.text("version", spec.version);
  fields.text("category", spec.category);
  fields.text("topic", spec.topic);
  fields.texts("permissions", spec.permissions);
  fields.flag("dangerous", spec.dangerous);
  fields.flag("requires_approval", spec.requires_approval);
  fields.flag("read_only", spec.read_only);
  fields.flag("open_world", spec.open_world);
  read_choice(fields, "task", spec.task, kTaskModes, model::task_mode_name,
              "forbidden, optional or required");
  auto asks = spec.asks_restart ? Asks::kRestart : Asks::kWait;
  read_choice(fields, "asks", asks, kAsks, asks_name, "wait or restart");
  spec.asks_restart = asks == Asks::kRestart;
  read_limits(fields, spec.limits, ranges);
  fields.milliseconds("inline_ms", spec.inline_wait,
                      range<std::int64_t>(ranges, 0, kMaxInlineWait.count()));
  read_retry(fields, spec.retry, ranges);
  read_result(fields, spec.result, ranges);
}

void read_fixed(Fields& fields, model::Spec& spec) {
  fields.text("pool", spec.pool);
  fields.flag("idempotent", spec.idempotent);
  fields.flag("multi_step", spec.multi_step);
  read_json(fields, "input_schema", spec.input_schema);
  read_json(fields, "output_schema", spec.output_schema);
  read_json(fields, "implementation_config", spec.implementation);
}

}  // namespace toolway::tools::specs
