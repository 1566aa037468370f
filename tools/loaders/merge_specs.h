#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/loaders/spec_source.h"
#include "tools/model/registry.h"

namespace toolway::tools::loaders {

/// A part, and what kind of source has it.
struct SourcedPart {
  SourceKind source = SourceKind::kFile;
  std::shared_ptr<const SpecPart> part;
};

/// What is different from before, by qualified name, sorted.
struct SpecChanges {
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> removed;
  bool none() const { return added.empty() && changed.empty() && removed.empty(); }
};

struct MergedMistake {
  SourceKind source;
  Mistake mistake;
};

struct MergedSpecs {
  std::shared_ptr<const model::Registry> registry;
  SpecChanges changes;
  /// Specs that are left out: a name that an earlier part of the same kind of
  /// source has, a native tool that this build does not have, a schema.
  std::vector<MergedMistake> mistakes;
  /// Names that sources of two kinds offer: which one is in force, which is not.
  std::vector<std::string> shadowed;
  /// How many specs of each kind of source are in force.
  std::array<std::size_t, kSourceKinds.size()> in_force{};
};

/// Makes one registry of `builtin` and of `parts`, which are in order of
/// precedence. What `before` has with the same digest is taken from there, so
/// that nothing is compiled twice. Pure.
MergedSpecs merge_specs(std::span<const SourcedPart> parts, const model::Registry& builtin,
                        const model::Registry& before);

}  // namespace toolway::tools::loaders
