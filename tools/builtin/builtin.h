#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/result.h"
#include "tools/model/registry.h"

namespace toolway::tools::builtin {

struct BuiltinOptions {
  /// What the `filesystem` tools may read; nothing above it can be reached.
  std::filesystem::path root = ".";
  /// A file of specs that adjust native tools (docs/specs.md), or nothing.
  std::optional<std::filesystem::path> specs;
};

/// The tools that come with Toolway. Errors: kInvalidSpec with file and line,
/// kNotFound when the root is not a directory.
Result<std::shared_ptr<const model::Registry>> builtin_registry(const BuiltinOptions& options);

}  // namespace toolway::tools::builtin
