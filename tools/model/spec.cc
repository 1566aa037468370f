#include "tools/model/spec.h"

#include "base/json.h"
#include "base/sha256.h"

namespace toolway::tools::model {
namespace {

OrderedJson milliseconds_or_null(std::chrono::milliseconds limit) {
  return limit.count() > 0 ? OrderedJson(limit.count()) : OrderedJson(nullptr);
}

}  // namespace

std::string_view aggregate_name(Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::kLast: return "last";
    case Aggregate::kBlocks: return "blocks";
    case Aggregate::kSteps: return "steps";
  }
  return "last";
}

std::string_view task_mode_name(TaskMode mode) {
  switch (mode) {
    case TaskMode::kForbidden: return "forbidden";
    case TaskMode::kOptional: return "optional";
    case TaskMode::kRequired: return "required";
  }
  return "optional";
}

/// Only what is not the default: specs from before these fields keep their digests.
static void add_hints(OrderedJson& json, const Spec& spec) {
  if (spec.read_only) json["read_only"] = true;
  if (!spec.open_world) json["open_world"] = false;
  if (spec.task != TaskMode::kOptional) json["task"] = task_mode_name(spec.task);
  if (spec.asks_restart) json["asks"] = "restart";
}

OrderedJson to_document(const Spec& spec) {
  OrderedJson document{
      {"name", spec.name},
      {"namespace", spec.ns},
      {"description", spec.description},
      {"kind", spec.kind.name},
      {"pool", spec.pool},
      {"version", spec.version},
      {"category", spec.category},
      {"topic", spec.topic},
      {"permissions", spec.permissions},
      {"dangerous", spec.dangerous},
      {"requires_approval", spec.requires_approval},
      {"idempotent", spec.idempotent},
      {"multi_step", spec.multi_step},
      {"limits",
       {{"queue_ms", spec.limits.queue.count()},
        {"run_ms", spec.limits.run.count()},
        {"total_ms", spec.limits.total.count()},
        {"heartbeat_ms", spec.limits.heartbeat.count()}}},
      {"inline_ms", spec.inline_wait.count()},
      {"retry",
       {{"max_attempts", spec.retry.max_attempts},
        {"initial_delay_ms", spec.retry.initial_delay.count()},
        {"factor", spec.retry.factor},
        {"max_delay_ms", spec.retry.max_delay.count()},
        {"codes", spec.retry.codes}}},
      {"result",
       {{"inline_bytes", spec.result.inline_bytes},
        {"max_bytes", spec.result.max_bytes},
        {"aggregate", aggregate_name(spec.result.aggregate)}}},
      {"input_schema", spec.input_schema},
      {"output_schema", spec.output_schema},
      {"implementation_config", spec.implementation},
  };
  add_hints(document, spec);
  return document;
}

OrderedJson to_toolway_json(const Spec& spec) {
  OrderedJson shown{
      {"name", spec.name},
      {"namespace", spec.ns},
      {"description", spec.description},
      {"input_schema", spec.input_schema},
      {"output_schema", spec.output_schema},
      {"kind", spec.kind.name},
      {"version", spec.version},
      {"category", spec.category},
      {"topic", spec.topic.empty() ? spec.name : spec.topic},
      {"permissions", spec.permissions},
      {"dangerous", spec.dangerous},
      {"requires_approval", spec.requires_approval},
      {"idempotent", spec.idempotent},
      {"multi_step", spec.multi_step},
      {"limits",
       {{"queue_ms", milliseconds_or_null(spec.limits.queue)},
        {"run_ms", milliseconds_or_null(spec.limits.run)},
        {"total_ms", milliseconds_or_null(spec.limits.total)},
        {"heartbeat_ms", milliseconds_or_null(spec.limits.heartbeat)}}},
  };
  add_hints(shown, spec);
  return shown;
}

std::string canonical_text(const Spec& spec) {
  // Json keeps its keys sorted, which is what makes the text canonical. Text
  // that is not UTF-8 was replaced on the way, so parsing cannot fail.
  return to_text(Json::parse(to_text(to_document(spec))));
}

std::string digest(const Spec& spec) { return "sha256:" + sha256_hex(canonical_text(spec)); }

}  // namespace toolway::tools::model
