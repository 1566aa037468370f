#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "persistence/specs/spec_store.h"
#include "tools/specs/spec_diff.h"

namespace toolway::persistence::specs {

/// What differs between two versions of `name`, by their numbers in its history, field by field.
/// Pure. Errors: kInvalidSpec: there is no such version, or it is a removal.
Result<std::vector<tools::specs::SpecDifference>> diff_of(std::span<const SpecChange> changes,
                                                          const std::string& name,
                                                          std::int64_t from, std::int64_t to);

}  // namespace toolway::persistence::specs
