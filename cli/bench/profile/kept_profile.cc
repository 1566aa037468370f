#include "cli/bench/profile/kept_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "cli/bench/figures/threshold.h"
#include "cli/bench/results/store.h"

namespace toolway::cli::bench::profile {
namespace {

constexpr double kBusier = 5;  // %, of the CPU of all cores
constexpr const char* kFigures[] = {"calls_per_s", "p50", "p99"};

/// `null` when there is none.
OrderedJson part_of(const OrderedJson& json, const char* part, const char* field) {
  if (!json.contains(part) || !json[part].is_object() || !json[part].contains(field)) return {};
  return json[part][field];
}

/// `2026-11-21T22:05:00.123Z, commit 0123456789ab`
std::string of_when(const KeptProfile& profile) {
  return fmt::format("{}, commit {}", profile.json.value("started_at", "an unknown time"),
                     results::text_of(profile.json, "program", "commit"));
}

/// What makes two profiles hard to compare.
std::string differences(const KeptProfile& before, const KeptProfile& now) {
  struct Fact {
    const char* part;
    const char* field;
    const char* words;
  };
  constexpr Fact kFacts[] = {{"machine", "kernel", "the kernel"},
                             {"servers", "nats", "nats-server"},
                             {"servers", "postgres", "Postgres"}};
  std::string lines;
  for (const auto& fact : kFacts) {
    const auto line = results::difference(before.json, now.json, fact.part, fact.field, fact.words);
    if (!line.empty()) lines += line + "\n";
  }
  const auto was = part_of(before.json, "figures", "others");
  const auto is = part_of(now.json, "figures", "others");
  if (was.is_number() && is.is_number() &&
      std::abs(is.get<double>() - was.get<double>()) >= kBusier)
    lines +=
        fmt::format("not the same: other programs took {:.0f} % of the CPU, and take {:.0f} %\n",
                    was.get<double>(), is.get<double>());
  return lines;
}

}  // namespace

Result<KeptProfile> profile_from(OrderedJson json) {
  for (const char* part : {"options", "machine", "figures", "per_call"})
    if (!json.is_object() || !json.contains(part) || !json[part].is_object())
      return fail(ErrorCode::kInvalidRequest, fmt::format("it has no object `{}`", part));
  for (const char* name : kFigures)
    if (!part_of(json, "figures", name).is_number())
      return fail(ErrorCode::kInvalidRequest, fmt::format("it has no figure {}", name));
  ASSIGN_OR_RETURN(auto costs, costs_from(json["per_call"]));
  return KeptProfile{.json = std::move(json), .costs = std::move(costs)};
}

Result<std::vector<KeptProfile>> read_profiles(std::string_view text, const std::string& file) {
  std::vector<KeptProfile> kept;
  for (unsigned number = 1; !text.empty(); ++number) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    auto profile = parse_ordered_json(line).and_then(profile_from);
    if (!profile)
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("{}:{} is not a result of bench --profile or --check: {}; remove this "
                      "line, or name another file with --store",
                      file, number, profile.error().message));
    kept.push_back(*std::move(profile));
  }
  return kept;
}

const KeptProfile* last_like(const std::vector<KeptProfile>& kept, const OrderedJson& options,
                             const OrderedJson& machine) {
  const OrderedJson now{{"options", options}, {"machine", machine}};
  const auto found = std::find_if(kept.rbegin(), kept.rend(), [&](const KeptProfile& one) {
    const auto same = [&](const char* field) {
      return part_of(one.json, "machine", field) == part_of(now, "machine", field);
    };
    return one.json["options"] == options && same("model") && same("cores");
  });
  return found == kept.rend() ? nullptr : &*found;
}

std::string compare_profiles(const KeptProfile& before, const KeptProfile& now) {
  auto text = fmt::format("compared with {}:\n", of_when(before));
  for (const char* name : kFigures) {
    const auto was = before.json["figures"][name].get<double>();
    const auto is = now.json["figures"][name].get<double>();
    text += fmt::format("  {}: {} (was {}), {:.2f} times\n", name, figures::figure_text(name, is),
                        figures::figure_text(name, was), was > 0 ? is / was : 0.0);
  }
  return fmt::format("{}\ntimes as much as then:\n{}{}", text, ratio_table(before.costs, now.costs),
                     differences(before, now));
}

CostVerdict judge_cost(const KeptProfile& before, const KeptProfile& now) {
  const double was = cost_of_ours(before.costs).cpu_us();
  const double is = cost_of_ours(now.costs).cpu_us();
  return {
      .holds = is <= was * (1 + kMaxGrowth),
      .words = fmt::format(
          "gateway, worker and collector took {:.1f} us of CPU per call; stored ({}): {:.1f} us; "
          "{:+.1f} %, allowed {:+.0f} %",
          is, of_when(before), was, was > 0 ? 100 * (is / was - 1) : 0.0, 100 * kMaxGrowth)};
}

}  // namespace toolway::cli::bench::profile
