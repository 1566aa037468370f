#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tools/schema.h"
#include "tools/tool.h"

namespace toolway::tools {

/// A tool together with what was made ready from its spec.
struct RegisteredTool {
  std::shared_ptr<const Tool> tool;
  std::shared_ptr<const CompiledSchema> input;  ///< of its input schema
  std::string digest;                           ///< of its spec
  const Spec& spec() const { return tool->spec(); }
};

/// Every tool of this process, by namespace and name. Filled at start, then
/// immutable: safe to read from any thread without a lock.
class Registry {
 public:
  /// Errors: kInvalidSpec (bad name, schema that cannot compile, a second tool of that name).
  Result<void> add(std::shared_ptr<const Tool> tool);

  /// By exact namespace and name; null when there is none.
  const RegisteredTool* find(std::string_view ns, std::string_view name) const;

  /// What a session of `namespaces` means by `tool`: `name`, when only one of
  /// them has it, or `namespace.name`. Errors: kUnknownTool, naming the nearest
  /// names the session can see (and never others); kAmbiguousTool, naming the choices.
  Result<const RegisteredTool*> resolve(std::span<const std::string> namespaces,
                                        std::string_view tool) const;

  /// The tools of `namespaces`, sorted by qualified name.
  std::vector<const RegisteredTool*> list(std::span<const std::string> namespaces) const;
  /// All tools, sorted by qualified name.
  std::vector<const RegisteredTool*> list() const;

  /// Runs a tool by `namespace.name` with JSON in and out, without any server:
  /// for tests and embedding. Arguments are checked as everywhere.
  Execution execute(std::string_view qualified_name, std::string_view arguments_json) const;

 private:
  std::vector<RegisteredTool> tools_;  // sorted by qualified name
};

}  // namespace toolway::tools
