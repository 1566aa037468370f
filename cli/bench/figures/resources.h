#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/figures/threshold.h"

namespace toolway::cli::bench::figures {

/// What processes hold. Sums, where there are several.
struct ResourceUse {
  double memory_mb = 0;  ///< resident
  double fds = 0;
  double threads = 0;

  ResourceUse& operator+=(const ResourceUse& other);
};

/// Reads /proc; nothing when the process does not exist, or we may not look into it.
std::optional<ResourceUse> resource_use(int pid);

/// The largest value of a metric's series in Prometheus' text format; nothing when it has none.
std::optional<double> largest_value(std::string_view exposition, std::string_view metric);

/// What a stack held at one moment.
struct ResourceSample {
  double at = 0;                             ///< seconds from the end of the warm-up
  std::map<std::string, ResourceUse> roles;  ///< gateway, worker, collector, nats
  std::optional<double> lag_s;               ///< of the collectors: age of what they recorded last
  std::optional<double> lag_messages;        ///< stored, and not yet recorded
};

/// The mean of the last tenth of the samples, and that of the first.
struct Growth {
  ResourceUse first;
  ResourceUse last;
};
std::map<std::string, Growth> growth_by_role(const std::vector<ResourceSample>& samples);

/// `lag`, and what grew (docs/load-testing.md): memory of gateways, workers and collectors
/// together, descriptors and threads of the role that grew most. Without samples: nothing. Pure.
Figures resource_figures(const std::vector<ResourceSample>& samples);

}  // namespace toolway::cli::bench::figures
