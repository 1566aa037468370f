#include "tools/spec.h"

#include "base/json.h"
#include "tools/sha256.h"

namespace toolway::tools {
namespace {

OrderedJson milliseconds_or_null(std::chrono::milliseconds limit) {
  return limit.count() > 0 ? OrderedJson(limit.count()) : OrderedJson(nullptr);
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNative: return "native";
    case Kind::kPython: return "python";
    case Kind::kCommand: return "command";
    case Kind::kHttp: return "http";
    case Kind::kMcp: return "mcp";
  }
  return "native";
}

OrderedJson to_toolway_json(const Spec& spec) {
  return {
      {"name", spec.name},
      {"namespace", spec.ns},
      {"description", spec.description},
      {"input_schema", spec.input_schema},
      {"output_schema", spec.output_schema},
      {"kind", kind_name(spec.kind)},
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
}

std::string digest(const Spec& spec) {
  OrderedJson all = to_toolway_json(spec);
  all["pool"] = spec.pool;
  all["max_result_bytes"] = spec.max_result_bytes;
  // Json keeps its keys sorted, which is what makes the text canonical. Text
  // that is not UTF-8 was replaced on the way, so parsing cannot fail.
  Sha256 hash;
  hash.add(to_text(Json::parse(to_text(all))));
  return "sha256:" + hash.hex();
}

}  // namespace toolway::tools
