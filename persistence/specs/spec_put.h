#pragma once

#include <span>
#include <vector>

#include "base/mistake.h"
#include "persistence/specs/spec_store.h"
#include "tools/loaders/spec_source.h"

namespace toolway::persistence::specs {

/// What files say, as it is put; with any mistake, nothing is.
struct SpecsToPut {
  std::vector<PutSpec> specs;
  std::vector<Mistake> mistakes;
};

/// `rollout`: percent of sessions that get all of them as candidates; 0: as each spec says. A spec
/// that says it itself is a mistake then. Pure.
SpecsToPut specs_to_put(std::span<const tools::loaders::OfferedSpec> specs, unsigned rollout);

}  // namespace toolway::persistence::specs
