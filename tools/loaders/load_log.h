#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/loaders/merge_specs.h"
#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {

/// Says in the log what the loader meets, each thing once. One thread at a time.
class LoadLog {
 public:
  /// A source's new state, and the one before; null: none yet.
  void source(const SpecSource& source, const SourceState& now, const SourceState* before);
  /// What merging left out and passed over. Returns what it had not said before.
  std::vector<MergedMistake> merged(const MergedSpecs& merged);
  /// `now`: the tools from now on, counted as lists show them.
  void changes(const SpecChanges& changes, const model::Registry& now);

 private:
  std::set<std::string> said_;
};

/// `a, b, c and 4 more`
std::string a_few(const std::vector<std::string>& names);

}  // namespace toolway::tools::loaders
