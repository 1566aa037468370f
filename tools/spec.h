#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::tools {

/// How a tool runs.
enum class Kind { kNative, kPython, kCommand, kHttp, kMcp };
std::string_view kind_name(Kind kind);

/// The four limits of a call; zero: none. A caller may lower them, never raise them.
struct Limits {
  std::chrono::milliseconds queue{0};
  std::chrono::milliseconds run{0};
  std::chrono::milliseconds total{0};
  std::chrono::milliseconds heartbeat{0};
  bool operator==(const Limits&) const = default;
};

/// What a tool does, as data. All that agents ever see of it.
struct Spec {
  std::string name;  ///< unique within its namespace; `valid_name`
  std::string ns = "default";
  std::string description;
  OrderedJson input_schema;   ///< JSON Schema 2020-12; always `type: object`
  OrderedJson output_schema;  ///< null: not stated
  Kind kind = Kind::kNative;
  std::string pool = "native";
  std::string version = "1";
  std::string category;
  std::string topic;  ///< display title; empty: the name
  std::vector<std::string> permissions;
  bool dangerous = false;
  bool requires_approval = false;
  bool idempotent = false;  ///< running it again does no harm
  bool multi_step = false;  ///< publishes progress
  Limits limits{.run = std::chrono::seconds(60), .total = std::chrono::minutes(60)};
  std::size_t max_result_bytes = 512 * 1024;

  /// `namespace.name`
  std::string qualified_name() const { return ns + "." + name; }
};

/// `sha256:<hex>` over the spec's canonical JSON: equal for equal specs.
std::string digest(const Spec& spec);

/// The spec as `format=toolway` shows it, keys in a fixed order; no implementation config.
OrderedJson to_toolway_json(const Spec& spec);

}  // namespace toolway::tools
