#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/specs/verbs.h"

namespace toolway::cli::specs {

/// Makes a verb of `toolway specs`: name, help, what runs it.
using AddSpecVerb =
    std::function<CLI::App*(const char*, const char*, int (*)(const SpecsOptions&))>;

/// Adds `show`, `history`, `diff`, `rollback` and `promote`; to `put` and `remove` what concerns
/// versions. Returns those that use the database.
std::vector<CLI::App*> add_spec_version_verbs(CLI::App& check, CLI::App& put, CLI::App& remove,
                                              const AddSpecVerb& verb, SpecsOptions& options);

}  // namespace toolway::cli::specs
