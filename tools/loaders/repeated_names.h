#pragma once

#include <span>
#include <vector>

#include "base/mistake.h"
#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {

/// A mistake for each spec whose name one before it has, candidates apart from stable versions.
/// Pure.
std::vector<Mistake> repeated_names(std::span<const OfferedSpec> specs);

}  // namespace toolway::tools::loaders
