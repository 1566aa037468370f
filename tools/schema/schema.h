#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "base/result.h"
#include "tools/schema/violation.h"

namespace toolway::tools::schema {

/// A JSON Schema 2020-12, compiled once (jsoncons). Immutable, thread-safe.
class CompiledSchema {
 public:
  /// About 2 s of a thread, 5 at the very most; a document of 512 KB takes a tenth of it.
  static constexpr std::uint64_t kMaxSteps = 20'000'000;

  virtual ~CompiledSchema() = default;
  /// Empty when `document` matches. At most 20 violations, the outermost first. One that takes
  /// more than kMaxSteps is also a violation.
  std::vector<Violation> validate(const Json& document) const;
  /// The same, given up after `most_steps` (schema_work.h): then nothing. The time grows with
  /// the steps only, besides what copying the document takes.
  virtual std::optional<std::vector<Violation>> validate_within(const Json& document,
                                                                std::uint64_t most_steps) const = 0;
  /// A document that matches, with integers where it has numbers such as 2.0 and 1e3 and the
  /// schema wants integers (whole_numbers.h). Nothing: it needs no change.
  virtual std::optional<Json> with_integers(const Json& document) const = 0;
};

/// Errors: kInvalidSpec, saying where and why the schema cannot be compiled.
Result<std::shared_ptr<const CompiledSchema>> compile_schema(const OrderedJson& schema);

/// All that is found wrong with a schema, by places in it (empty: the whole, or not known); nothing
/// exactly when `compile_schema` compiles it.
std::vector<Mistake> schema_mistakes(const OrderedJson& schema);

/// One line for people and models: "/timezone: expected string, found number; …".
std::string describe(const std::vector<Violation>& violations);

}  // namespace toolway::tools::schema
