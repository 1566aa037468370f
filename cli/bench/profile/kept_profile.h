#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/bench/profile/cost.h"

namespace toolway::cli::bench::profile {

/// A profile as it is kept: a line of JSON, whose `options`, `machine`, `program` and `servers` say
/// of what it is, whose `figures` are of the load, and whose `per_call` are the costs.
struct KeptProfile {
  OrderedJson json;
  Costs costs;
};

/// Pure. Errors: kInvalidRequest, with what is wrong with it.
Result<KeptProfile> profile_from(OrderedJson json);

/// Reads the text of a file, oldest first. Pure. Errors: kInvalidRequest, with the line that is not
/// a profile, and what to do.
Result<std::vector<KeptProfile>> read_profiles(std::string_view text, const std::string& file);

/// The newest one of the same options and the same machine (its processor and cores); null when
/// there is none. Pure.
const KeptProfile* last_like(const std::vector<KeptProfile>& kept, const OrderedJson& options,
                             const OrderedJson& machine);

/// Two profiles of the same options and machine compared, in words and a table. Pure.
std::string compare_profiles(const KeptProfile& before, const KeptProfile& now);

/// By how much the CPU of gateways, workers and collectors per call may grow.
inline constexpr double kMaxGrowth = 0.05;

/// Whether a call costs at most `kMaxGrowth` more CPU of ours than it did. Pure.
struct CostVerdict {
  bool holds = false;
  std::string words;  ///< both figures, and of when the old one is
};
CostVerdict judge_cost(const KeptProfile& before, const KeptProfile& now);

}  // namespace toolway::cli::bench::profile
