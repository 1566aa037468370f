#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tools/model/tool.h"
#include "tools/schema/schema.h"

namespace toolway::tools::model {

/// Who holds a tool to its schemas.
enum class SchemaChecks {
  kByRun,   ///< `RegisteredTool::run`
  kByTool,  ///< the tool itself: native ones check as they read their arguments, and their types
            ///< are their results' schema
};

/// A tool together with what was made ready from its spec. Immutable, thread-safe.
struct RegisteredTool {
  std::shared_ptr<const Tool> tool;
  std::shared_ptr<const schema::CompiledSchema> input;   ///< of its input schema
  std::shared_ptr<const schema::CompiledSchema> output;  ///< of its output schema; null: not stated
  std::string digest;                                    ///< of its spec
  std::size_t spec_bytes = 0;  ///< of its spec's canonical text: what listing it costs
  SchemaChecks checks = SchemaChecks::kByRun;
  bool for_benchmarks = false;    ///< what `toolway bench` calls: in no list of all tools
  bool secret_arguments = false;  ///< its input schema marks secrets (schema/secret_places.h)
  bool secret_result = false;     ///< its output schema does

  const Spec& spec() const { return tool->spec(); }
  /// The one way to run a tool of any kind: checks the arguments,
  /// executes, aggregates what a multi-step tool reported, checks the result.
  /// Blocks while the tool runs. Errors of its own: invalid_arguments,
  /// invalid_result, result_too_large (the reports to aggregate), tool_threw.
  Execution run(const Json& arguments, ToolContext& context, Progress& progress) const;
};
using RegisteredToolPtr = std::shared_ptr<const RegisteredTool>;

/// Compiles what a tool's spec holds. Native tools check for themselves, unless `checks` says
/// otherwise. Errors: kInvalidSpec (bad name, schema that cannot compile).
Result<RegisteredToolPtr> register_tool(std::shared_ptr<const Tool> tool);
Result<RegisteredToolPtr> register_tool(std::shared_ptr<const Tool> tool, SchemaChecks checks);

/// A version of a tool that a part of the sessions gets instead of the stable one.
struct Candidate {
  RegisteredToolPtr tool;
  unsigned percent = 0;  ///< of sessions (rollout.h)
};

/// The tools of a process by namespace and name. Filled, then immutable: safe to
/// read from any thread without a lock.
class Registry {
 public:
  /// Takes any number at once. Errors: kInvalidSpec (two tools of one name).
  /// `candidates`: at most one of a name, and only of names that `tools` has.
  static Result<std::shared_ptr<const Registry>> of(std::vector<RegisteredToolPtr> tools,
                                                    std::vector<Candidate> candidates = {});

  /// Errors: kInvalidSpec (as `register_tool`, or a second tool of that name).
  Result<void> add(std::shared_ptr<const Tool> tool);

  /// By exact namespace and name; null when there is none.
  RegisteredToolPtr find(std::string_view ns, std::string_view name) const;

  /// What a session of `namespaces` means by `tool`: `name`, when only one of
  /// them has it, or `namespace.name`. Errors: kUnknownTool, naming the nearest
  /// names the session can see (and never others); kAmbiguousTool, naming the choices.
  /// Only what is `offered` (empty: everything) is among the nearest names.
  Result<RegisteredToolPtr> resolve(std::span<const std::string> namespaces, std::string_view tool,
                                    const std::function<bool(const Spec&)>& offered = {}) const;

  /// The version of a tool of this registry that a session gets: itself, or its candidate.
  const RegisteredTool* version_for(std::string_view session_key, const RegisteredTool* tool) const;
  RegisteredToolPtr version_for(std::string_view session_key, const RegisteredToolPtr& tool) const;
  /// The candidate of a tool; null: there is none.
  const Candidate* candidate_of(std::string_view ns, std::string_view name) const;
  const std::vector<Candidate>& candidates() const { return candidates_; }

  /// The tools of `namespaces`, sorted by qualified name; valid as long as the registry.
  std::vector<const RegisteredTool*> list(std::span<const std::string> namespaces) const;
  /// All tools, sorted by qualified name.
  std::vector<const RegisteredTool*> list() const;
  std::size_t size() const { return tools_.size(); }

  /// Runs a tool by `namespace.name` with JSON in and out, without any server:
  /// for tests and embedding. Arguments are checked as everywhere.
  Execution execute(std::string_view qualified_name, std::string_view arguments_json) const;

 private:
  std::vector<RegisteredToolPtr> tools_;  // sorted by qualified name
  std::vector<Candidate> candidates_;     // likewise
};

}  // namespace toolway::tools::model
