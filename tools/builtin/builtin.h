#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "tools/model/registry.h"

namespace toolway::tools::builtin {

struct BuiltinOptions {
  /// What the `filesystem` tools may read; nothing above it can be reached.
  std::filesystem::path root = ".";
};

/// The tools that come with Toolway. Errors: kNotFound when the root is not a directory.
Result<std::shared_ptr<const model::Registry>> builtin_registry(const BuiltinOptions& options);

}  // namespace toolway::tools::builtin
