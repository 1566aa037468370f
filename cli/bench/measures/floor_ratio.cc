#include "cli/bench/measures/floor_ratio.h"

#include <fmt/format.h>

namespace toolway::cli::bench::measures {
namespace {

double ratio(double of, double to) { return to > 0 ? of / to : 0; }

}  // namespace

FloorReport compare_with_floors(const figures::Figures& stack, const Floors& floors,
                                bool open_loop) {
  FloorReport report;
  const auto compare = [&](const std::string& name, const char* what, const char* whose,
                           const Floor& floor) {
    const double calls_per_s = floor.mean(&FloorResult::calls_per_s);
    auto& json = report.json[name] = {{"calls_per_s", calls_per_s}};
    if (!open_loop) {
      const double share = ratio(stack.at("calls_per_s"), calls_per_s);
      json["ratio"] = report.figures[name + "_ratio"] = share;
      report.text += fmt::format(
          "{}: {:.0f} calls/s ({:.0f} before, {:.0f} after); the stack makes {:.2f} of {}\n", what,
          calls_per_s, floor.before.calls_per_s, floor.after.calls_per_s, share, whose);
      return;
    }
    const double p50 = floor.mean(&FloorResult::p50_ms);
    const double p99 = floor.mean(&FloorResult::p99_ms);
    const double p50_times = ratio(stack.at("completion.p50"), p50);
    const double p99_times = ratio(stack.at("completion.p99"), p99);
    json.update(
        {{"p50_ms", p50}, {"p99_ms", p99}, {"p50_times", p50_times}, {"p99_times", p99_times}});
    report.figures[name + "_p50_times"] = p50_times;
    report.figures[name + "_p99_times"] = p99_times;
    report.text += fmt::format(
        "{}: p50 {:.2f} ms, p99 {:.2f} ms at {:.0f} calls/s; the stack takes {:.1f} and {:.1f} times {}\n",
        what, p50, p99, calls_per_s, p50_times, p99_times, whose);
  };
  compare("floor", "floor (the messages alone, over nats.c's own threads)", "the floor",
          floors.threads);
  compare("loop_floor", "loop's floor (the same, over our loop)", "the loop's floor", floors.loop);
  return report;
}

}  // namespace toolway::cli::bench::measures
