#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::tools::model {

/// How a tool runs: by name, since a build may have kinds of its own (tools/model/kind_types.h).
struct Kind {
  std::string_view name;  ///< of static storage
  bool operator==(const Kind&) const = default;

  static const Kind kNative;
  static const Kind kPython;
  static const Kind kCommand;
  static const Kind kHttp;
  static const Kind kMcp;
};
inline constexpr Kind Kind::kNative{"native"};
inline constexpr Kind Kind::kPython{"python"};
inline constexpr Kind Kind::kCommand{"command"};
inline constexpr Kind Kind::kHttp{"http"};
inline constexpr Kind Kind::kMcp{"mcp"};

/// The four limits of a call; zero: none. A caller may lower them, never raise them.
struct Limits {
  std::chrono::milliseconds queue{0};
  std::chrono::milliseconds run{0};
  std::chrono::milliseconds total{0};
  std::chrono::milliseconds heartbeat{0};
  bool operator==(const Limits&) const = default;
};

/// When a failed attempt is followed by another one.
struct RetryPolicy {
  unsigned max_attempts = 1;  ///< 1: never again
  std::chrono::milliseconds initial_delay{1000};
  double factor = 2;
  std::chrono::milliseconds max_delay{60'000};
  std::vector<std::string> codes;  ///< errors that are worth it; empty: those that say `retryable`
  bool operator==(const RetryPolicy&) const = default;
};

/// What a multi-step tool's result is made of.
enum class Aggregate {
  kLast,    ///< what it returned
  kBlocks,  ///< a list: the data of every progress report, then what it returned unless that is
            ///< null
  kSteps,   ///< {"steps": [{step, message, data}], "result": what it returned}
};
std::string_view aggregate_name(Aggregate aggregate);

/// How large a result may be, and what it is made of.
struct ResultForm {
  std::size_t inline_bytes =
      256 * 1024;  ///< over it the result is stored apart and a preview is sent
  std::size_t max_bytes = 64 * 1024 * 1024;  ///< over it the call fails
  Aggregate aggregate = Aggregate::kLast;
  bool operator==(const ResultForm&) const = default;
};

/// Whether calls of a tool can be tasks of the Model Context Protocol.
enum class TaskMode { kForbidden, kOptional, kRequired };
std::string_view task_mode_name(TaskMode mode);

/// What a tool does, as data. Agents see all of it except `pool`, `implementation`,
/// `retry` and `result`.
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
  bool read_only = false;   ///< changes nothing; never with `dangerous`
  bool open_world = true;   ///< reaches what has no bounds, such as the web
  bool idempotent = false;  ///< running it again does no harm
  bool multi_step = false;  ///< publishes progress
  /// While it waits for an answer, it has done nothing that must not be done again: as an
  /// idempotent one, it may be stopped then and run again with the answer.
  bool asks_restart = false;
  TaskMode task = TaskMode::kOptional;
  Limits limits{.run = std::chrono::seconds(60), .total = std::chrono::minutes(60)};
  ResultForm result;
  RetryPolicy retry;
  /// How long a model's message waits for the result before the call is detached.
  std::chrono::milliseconds inline_wait{20'000};
  /// How its kind runs it; null for native. Never shown.
  OrderedJson implementation;

  /// `namespace.name`
  std::string qualified_name() const { return ns + "." + name; }
};

/// The spec as JSON, its keys sorted: equal for equal specs.
std::string canonical_text(const Spec& spec);

/// `sha256:<hex>` over the canonical text.
std::string digest(const Spec& spec);

/// The whole spec as a spec file says it (docs/specs.md), every field, keys in a
/// fixed order: how it is stored, sent to workers, and digested.
OrderedJson to_document(const Spec& spec);

/// The spec as `format=toolway` shows it, keys in a fixed order; no implementation config.
OrderedJson to_toolway_json(const Spec& spec);

}  // namespace toolway::tools::model
