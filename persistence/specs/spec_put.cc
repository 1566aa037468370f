#include "persistence/specs/spec_put.h"

#include <algorithm>

namespace toolway::persistence::specs {

SpecsToPut specs_to_put(std::span<const tools::loaders::OfferedSpec> specs, unsigned rollout) {
  SpecsToPut put;
  put.specs.reserve(specs.size());
  for (const auto& one : specs) {
    if (rollout > 0 && one.rollout > 0) {
      put.mistakes.push_back({one.origin,
                              "it has a `rollout` already: give --rollout or write it, not both",
                              one.line});
    }
    put.specs.push_back({.spec = *one.spec,
                         .enabled = one.enabled,
                         .rollout = std::max(rollout, one.rollout),
                         .origin = one.origin,
                         .line = one.line});
  }
  return put;
}

}  // namespace toolway::persistence::specs
