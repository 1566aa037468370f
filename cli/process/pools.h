#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::cli {

/// A pool that a worker serves, and how many of its calls it holds at once.
struct PoolSlots {
  std::string name;
  std::size_t slots = 0;
};

/// The pools that tools of the five kinds go to unless their specs say otherwise.
std::vector<std::string> default_pools();

/// `native`, `native,python=8`, `gpu=2`: names, each with its slots or the number that
/// `slots_of` gives. Errors: kInvalidRequest (a name of another form, twice, no slots).
Result<std::vector<PoolSlots>> parse_pools(const std::vector<std::string>& texts,
                                           std::size_t (*slots_of)(const std::string& pool));

}  // namespace toolway::cli
