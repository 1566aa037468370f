#include "cli/replay/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_pointer.h"
#include "cli/terminal/table.h"

namespace toolway::cli::replay {
namespace {

constexpr std::size_t kMaxShown = 3;
constexpr std::size_t kValueWidth = 60;

Json without(Json value, std::span<const std::string> pointers) {
  for (const auto& pointer : pointers) {
    if (value_at(value, pointer) == nullptr) continue;
    const Json::json_pointer place(pointer);
    if (place.empty()) return {};
    auto& parent = value.at(place.parent_pointer());
    if (parent.is_object())
      parent.erase(place.back());
    else
      parent.erase(std::stoul(place.back()));
  }
  return value;
}

std::string shown(const Json* value) {
  return value == nullptr ? "missing" : terminal::shorten(to_text(*value), kValueWidth);
}

void add_results(std::vector<std::string>& texts, const Json& before, const Json& after) {
  const Json patch = Json::diff(before, after);
  for (std::size_t i = 0; i < std::min(patch.size(), kMaxShown); ++i) {
    const auto path = patch[i].at("path").get<std::string>();
    texts.push_back(fmt::format("result{}{}: {}, recorded {}", path.empty() ? "" : " ", path,
                                shown(value_at(after, path)), shown(value_at(before, path))));
  }
  if (patch.size() > kMaxShown)
    texts.push_back(fmt::format("result: {} more differences", patch.size() - kMaxShown));
}

double percent(double now, double before) { return before > 0 ? (now / before - 1) * 100 : 0; }

std::string change_text(double now, double before, const char* unit) {
  return fmt::format("{:.1f} {}, recorded {:.1f} {} ({:+.1f} %)", now, unit, before, unit,
                     percent(now, before));
}

bool within(double now, double before, double bound) {
  return std::abs(percent(now, before)) <= bound;
}

std::size_t succeeded(std::span<const Pair> pairs, Ending Pair::* which) {
  return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return (pair.*which).outcome == "succeeded";
  }));
}

void judge_times(std::span<const Pair> pairs, const Bounds& bounds,
                 std::vector<Judgement>& judged) {
  ToolTimes all;
  std::vector<Judgement> slower;
  for (const auto& [tool, times] : times_by_tool(pairs)) {
    const auto compared = times.calls - times.differ;
    all.calls += compared;
    all.recorded_ms += times.recorded_ms;
    all.replayed_ms += times.replayed_ms;
    const bool noise =
        times.replayed_ms - times.recorded_ms <= kNoiseMs * static_cast<double>(compared);
    if (noise || percent(times.replayed_ms, times.recorded_ms) <= bounds.tool) continue;
    slower.push_back({"tool " + tool,
                      change_text(times.replayed_ms, times.recorded_ms, "ms") +
                          fmt::format("; at most {:g} % slower", bounds.tool),
                      false});
  }
  const bool noise =
      std::abs(all.replayed_ms - all.recorded_ms) <= kNoiseMs * static_cast<double>(all.calls);
  judged.push_back({"time",
                    change_text(all.replayed_ms, all.recorded_ms, "ms") +
                        fmt::format("; within {:g} %, or {:g} ms a call", bounds.time, kNoiseMs),
                    noise || within(all.replayed_ms, all.recorded_ms, bounds.time)});
  judged.insert(judged.end(), slower.begin(), slower.end());
}

}  // namespace

std::vector<std::string> differences(const Ending& recorded, const Ending& replayed,
                                     std::span<const std::string> ignored) {
  std::vector<std::string> texts;
  if (recorded.outcome != replayed.outcome)
    texts.push_back(fmt::format("outcome: {}, recorded {}", replayed.outcome, recorded.outcome));
  if (recorded.error_code != replayed.error_code) {
    const auto word = [](const std::string& code) { return code.empty() ? "no error" : code; };
    texts.push_back(fmt::format("error: {}, recorded {}", word(replayed.error_code),
                                word(recorded.error_code)));
  }
  // What failed has no result: the outcome says all.
  if (!texts.empty()) return texts;
  const auto before = without(recorded.result, ignored);
  const auto after = without(replayed.result, ignored);
  if (before != after) add_results(texts, before, after);
  return texts;
}

std::map<std::string, ToolTimes> times_by_tool(std::span<const Pair> pairs) {
  std::map<std::string, ToolTimes> tools;
  for (const auto& pair : pairs) {
    auto& times = tools[pair.tool];
    ++times.calls;
    if (!pair.differences.empty()) {
      ++times.differ;
      continue;
    }
    times.recorded_ms += pair.recorded.ran_ms;
    times.replayed_ms += pair.replayed.ran_ms;
  }
  return tools;
}

std::vector<Judgement> judge(std::span<const Pair> pairs, const Memory* memory,
                             const Bounds& bounds) {
  std::vector<Judgement> judged;
  const auto before = succeeded(pairs, &Pair::recorded);
  const auto now = succeeded(pairs, &Pair::replayed);
  judged.push_back({"pass rate",
                    fmt::format("{} of {} succeeded, recorded {}", now, pairs.size(), before),
                    now >= before});
  const auto differ = std::count_if(pairs.begin(), pairs.end(),
                                    [](const Pair& pair) { return !pair.differences.empty(); });
  judged.push_back({"results",
                    fmt::format("{} of {} as recorded",
                                pairs.size() - static_cast<std::size_t>(differ), pairs.size()),
                    differ == 0});
  if (bounds.times) judge_times(pairs, bounds, judged);
  if (memory == nullptr) return judged;
  if (memory->baseline_kb <= 0) {
    judged.push_back(
        {"memory", fmt::format("{:.1f} MB; nothing to compare it with (--save FILE, and "
                               "--baseline FILE the next time)",
                               memory->kb / 1024)});
    return judged;
  }
  judged.push_back({"memory",
                    change_text(memory->kb / 1024, memory->baseline_kb / 1024, "MB") +
                        fmt::format("; within {:g} %", bounds.memory),
                    within(memory->kb, memory->baseline_kb, bounds.memory)});
  return judged;
}

}  // namespace toolway::cli::replay
