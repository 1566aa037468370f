#include "cli/bench/profile/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/table.h"

namespace toolway::cli::bench::profile {
namespace {

struct Field {
  const char* name;
  double Cost::* value;
};
constexpr Field kFields[] = {{"user_us", &Cost::user_us},
                             {"system_us", &Cost::system_us},
                             {"voluntary", &Cost::voluntary},
                             {"involuntary", &Cost::involuntary}};
constexpr const char* kSystemCalls = "system_calls";

Cost sum_of(const Costs& costs, bool ours_alone) {
  std::optional<Cost> sum;
  for (const auto& role : kRoles) {
    const auto found = costs.find(role.name);
    if (found == costs.end() || (ours_alone && !role.ours)) continue;
    if (sum)
      *sum += found->second;
    else
      sum = found->second;
  }
  return sum.value_or(Cost{});
}

/// The roles' costs and the two sums, each under the name that it is shown by.
std::vector<std::pair<std::string, Cost>> shown(const Costs& costs) {
  std::vector<std::pair<std::string, Cost>> rows;
  for (const auto& role : kRoles)
    if (const auto found = costs.find(role.name); found != costs.end())
      rows.emplace_back(role.shown, found->second);
  rows.emplace_back("Toolway's three", sum_of(costs, true));
  rows.emplace_back("all", sum_of(costs, false));
  return rows;
}

const std::vector<std::string> kHeadings{"PER CALL",     "CPU",       "USER",       "SYSTEM",
                                         "SYSTEM CALLS", "VOLUNTARY", "INVOLUNTARY"};

std::string ratio(double before, double now) {
  return before > 0 ? fmt::format("{:.2f}", now / before) : "-";
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  for (const auto& field : kFields) this->*field.value += other.*field.value;
  if (system_calls && other.system_calls)
    *system_calls += *other.system_calls;
  else
    system_calls.reset();
  return *this;
}

Costs costs_per_call(const std::map<std::string, Use>& used, double calls) {
  Costs costs;
  for (const auto& [role, use] : used)
    costs[role] = {.user_us = use.user_us / calls,
                   .system_us = use.system_us / calls,
                   .voluntary = static_cast<double>(use.switches.voluntary) / calls,
                   .involuntary = static_cast<double>(use.switches.involuntary) / calls,
                   .system_calls = {}};
  return costs;
}

Cost cost_of_ours(const Costs& costs) { return sum_of(costs, true); }

OrderedJson to_json(const Costs& costs) {
  OrderedJson json = OrderedJson::object();
  for (const auto& role : kRoles) {
    const auto found = costs.find(role.name);
    if (found == costs.end()) continue;
    auto& one = json[role.name];
    for (const auto& field : kFields) one[field.name] = found->second.*field.value;
    if (found->second.system_calls) one[kSystemCalls] = *found->second.system_calls;
  }
  return json;
}

Result<Costs> costs_from(const OrderedJson& json) {
  Costs costs;
  for (const auto& role : kRoles) {
    if (!json.is_object() || !json.contains(role.name))
      return fail(ErrorCode::kInvalidRequest, fmt::format("it has nothing of {}", role.name));
    auto& cost = costs[role.name];
    const auto& one = json[role.name];
    for (const auto& field : kFields) {
      if (!one.is_object() || !one.contains(field.name) || !one[field.name].is_number())
        return fail(ErrorCode::kInvalidRequest,
                    fmt::format("it has no number {} of {}", field.name, role.name));
      cost.*field.value = one[field.name].get<double>();
    }
    if (one.contains(kSystemCalls) && one[kSystemCalls].is_number())
      cost.system_calls = one[kSystemCalls].get<double>();
  }
  return costs;
}

std::string cost_table(const Costs& costs) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, cost] : shown(costs))
    rows.push_back({name, fmt::format("{:.1f} us", cost.cpu_us()),
                    fmt::format("{:.1f}", cost.user_us), fmt::format("{:.1f}", cost.system_us),
                    cost.system_calls ? fmt::format("{:.2f}", *cost.system_calls) : "-",
                    fmt::format("{:.2f}", cost.voluntary),
                    fmt::format("{:.2f}", cost.involuntary)});
  return terminal::render_table(kHeadings, rows);
}

std::string ratio_table(const Costs& before, const Costs& now) {
  std::vector<std::vector<std::string>> rows;
  const auto was = shown(before);
  const auto is = shown(now);
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
    const auto& [name, old] = was[i];
    const auto& cost = is[i].second;
    rows.push_back(
        {name, ratio(old.cpu_us(), cost.cpu_us()), ratio(old.user_us, cost.user_us),
         ratio(old.system_us, cost.system_us),
         cost.system_calls ? ratio(old.system_calls.value_or(0), *cost.system_calls) : "-",
         ratio(old.voluntary, cost.voluntary), ratio(old.involuntary, cost.involuntary)});
  }
  return terminal::render_table(kHeadings, rows);
}

}  // namespace toolway::cli::bench::profile
