#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/bench/profile/process_watch.h"

namespace toolway::cli::bench::profile {

/// What one call cost the processes of a role.
struct Cost {
  double user_us = 0;
  double system_us = 0;
  double voluntary = 0;    ///< context switches
  double involuntary = 0;  ///< likewise
  std::optional<double> system_calls;

  double cpu_us() const { return user_us + system_us; }
  /// System calls are known of the sum when they are of both.
  Cost& operator+=(const Cost& other);
};

/// By role.
using Costs = std::map<std::string, Cost>;

/// The roles in the order in which a call meets them, as they are stored and as they are shown.
struct Role {
  const char* name;
  const char* shown;
  bool ours = false;  ///< a process of Toolway's
};
inline constexpr Role kRoles[] = {{"gateway", "gateway", true},     {"worker", "worker", true},
                                  {"collector", "collector", true}, {"nats", "nats-server", false},
                                  {"postgres", "postgres"},         {kClient, "this client"}};

/// What was used, divided by the calls.
Costs costs_per_call(const std::map<std::string, Use>& used, double calls);

/// Of gateways, workers and collectors together.
Cost cost_of_ours(const Costs& costs);

OrderedJson to_json(const Costs& costs);
/// Errors: kInvalidRequest, with what is missing.
Result<Costs> costs_from(const OrderedJson& json);

/// A row for each role, one for ours together and one for all.
std::string cost_table(const Costs& costs);
/// The same, of how many times as much it is now; `-` where it was nothing or is not known.
std::string ratio_table(const Costs& before, const Costs& now);

}  // namespace toolway::cli::bench::profile
