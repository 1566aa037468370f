#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The kinds of this build, in a fixed order; native is the first.
std::span<const KindType> kind_types();

/// Null: this build has no kind of that name.
const KindType* find_kind_type(std::string_view name);

/// `native, python, … or mcp`
std::string kind_names();

}  // namespace toolway::tools::model
