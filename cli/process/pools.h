#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::cli::process {

/// A pool that a worker serves, and how many of its calls it holds at once.
struct PoolSlots {
  std::string name;
  std::size_t slots = 0;
};

/// The pools that tools go to unless their specs say otherwise: one for each kind.
std::vector<std::string> default_pools();

/// `native`, `native,python=8`, `gpu=2`: names, each with its slots or the number that its
/// kind's type says. Errors: kInvalidRequest (a name of another form, twice, no slots).
Result<std::vector<PoolSlots>> parse_pools(const std::vector<std::string>& texts);

/// Into how many queues a pool is divided.
struct PoolPartitions {
  std::string name;
  unsigned number = 1;
};

/// `native=4`: 1, 2, 4 … 256. Errors: kInvalidRequest, with the option's name.
Result<std::vector<PoolPartitions>> parse_partitions(const std::vector<std::string>& texts);

}  // namespace toolway::cli::process
