#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/bench/options/options.h"

namespace toolway::cli::bench::results {

/// What a stored result begins with: when, by which program, on what machine, with which options.
OrderedJson facts_before_run(OrderedJson options);

/// What a stack was started with besides what a scenario says; no receiver's URL, which may hold a
/// password.
OrderedJson stack_facts(const stack::StackOptions& stack);

/// Writes a result to --json, and into the store, comparing it with the last result of that name,
/// in words on standard output. The stored file's path; empty: there is no store.
Result<std::string> keep_in_store(const options::ScenarioOptions& options, const std::string& name,
                                  const OrderedJson& result);

/// Writes a file, unless it has no name.
Result<void> write_text(const std::string& file, const std::string& text);

}  // namespace toolway::cli::bench::results
