#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/bus_faults.h"
#include "tests/chaos/fleet.h"
#include "tests/chaos/model_host.h"
#include "tests/chaos/verdicts.h"

namespace toolway::chaos {

/// What was seen of the stack itself, and of answers that none should have got.
struct ProcessesSeen {
  Deepest deepest;
  std::size_t members = 0;
  const std::vector<UnexpectedEnd>& ends;
  std::uint64_t dead_events = 0;
  std::size_t answers = 0;
  std::map<std::string, std::uint64_t> odd;
};
/// Pure.
void check_processes(const ProcessesSeen& seen, Verdicts& verdicts);

/// What the model would not have taken, or should not have seen. Pure.
void check_requests_to_model(const std::vector<ModelHost::Refused>& refused,
                             const std::vector<ModelHost::Refused>& mixed, Verdicts& verdicts);

}  // namespace toolway::chaos
