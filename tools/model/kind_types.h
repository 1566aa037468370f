#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mistake.h"
#include "base/result.h"
#include "tools/model/kinds.h"
#include "tools/model/secrets.h"

namespace toolway::tools::model {

/// The tools of another process, as a worker has found them: the whole set, each time.
struct Toolset {
  std::string source;       ///< the MCP server's name
  std::vector<Spec> specs;  ///< empty: it no longer has any
};

/// What a worker gives a kind when it makes it.
struct KindOptions {
  std::size_t slots = 1;  ///< how many of its calls run at once
  bool has_pool =
      true;  ///< the worker serves the pool of that name: what is slow to start starts now
  std::filesystem::path directory;  ///< for what it keeps; made by the kind that uses it
  /// `--set KIND.NAME=VALUE`, by NAME; a name may occur more than once.
  std::multimap<std::string, std::string, std::less<>> settings{};
  std::shared_ptr<const Secrets> secrets = std::make_shared<const Secrets>();
  /// Offers tools that were found to the gateways. Thread-safe; never blocks.
  std::function<void(Toolset)> offer = [](Toolset) {};

  /// The last value of a setting; `fallback` when it is not set.
  std::string setting(std::string_view name, std::string fallback = {}) const;
  std::vector<std::string> all(std::string_view name) const;
};

/// A kind of tools as a build knows it (docs/kinds.md shows how to add one).
struct KindType {
  Kind kind;
  /// How many calls a worker holds at once by default: many where they wait for
  /// others, few where each is a process.
  std::size_t slots = 128;
  /// What `--set` may name; anything else is refused.
  std::vector<std::string> settings{};
  /// What is wrong with a spec's implementation config; pure, and needs nothing that the
  /// tool needs to run. Pointers begin with `/implementation_config`.
  std::vector<Mistake> (*check)(const Spec& spec) = nullptr;
  /// Makes the kind. Null: native. Errors: why this worker cannot run it.
  Result<std::shared_ptr<ToolKind>> (*make)(const KindOptions& options) = nullptr;
};

/// The kinds that a process knows, in a fixed order. What reads specs is handed them, since only
/// the top knows them all (`executors::kind_types()`). Immutable.
class KindTypes {
 public:
  explicit KindTypes(std::vector<KindType> types) : types_(std::move(types)) {}

  auto begin() const { return types_.begin(); }
  auto end() const { return types_.end(); }
  /// Null: none has that name.
  const KindType* find(std::string_view name) const;
  /// `native, python, … or mcp`
  std::string names() const;
  /// What is wrong with the spec's implementation config, for its kind, by places in the spec's
  /// document (`/implementation_config/argv/2`); empty: nothing. Pure: needs nothing that the tool
  /// needs to run.
  std::vector<Mistake> check(const Spec& spec) const;

 private:
  std::vector<KindType> types_;
};

}  // namespace toolway::tools::model
