#include "cli/replay/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/client/reporting.h"
#include "cli/terminal/table.h"

namespace toolway::cli::replay {
namespace {

using terminal::Align;
using terminal::Colour;

constexpr std::size_t kMaxListed = 20;

OrderedJson ending_json(const Ending& ending) {
  OrderedJson json = {{"call_id", ending.call_id},
                      {"outcome", ending.outcome},
                      {"error_code", nullptr},
                      {"ran_ms", ending.ran_ms}};
  if (!ending.error_code.empty()) json["error_code"] = ending.error_code;
  return json;
}

void print_tools(const Report& report, const terminal::View& view) {
  terminal::Table table{.columns = {{.heading = "TOOL", .least = 12},
                                    {.heading = "CALLS", .align = Align::kRight},
                                    {.heading = "DIFFER", .align = Align::kRight},
                                    {.heading = "RECORDED", .align = Align::kRight},
                                    {.heading = "REPLAYED", .align = Align::kRight}}};
  for (const auto& [tool, times] : times_by_tool(report.replayed.pairs)) {
    const std::optional<Colour> colour =
        times.differ > 0 ? std::optional(Colour::kRed) : std::nullopt;
    table.rows.push_back({.cells = {tool,
                                    fmt::to_string(times.calls),
                                    {fmt::to_string(times.differ), colour},
                                    fmt::format("{:.1f} ms", times.recorded_ms),
                                    fmt::format("{:.1f} ms", times.replayed_ms)},
                          .name = tool});
  }
  fmt::print("{}", terminal::render(std::move(table), view));
}

void print_differences(const Report& report) {
  std::size_t listed = 0;
  for (const auto& pair : report.replayed.pairs) {
    if (pair.differences.empty() || ++listed > kMaxListed) continue;
    fmt::print("{}{}  {}\n", listed == 1 ? "\n" : "", pair.recorded.call_id, pair.tool);
    for (const auto& text : pair.differences) fmt::print("    {}\n", text);
  }
  if (listed > kMaxListed)
    fmt::print("and {} more calls that differ (-o json has all)\n", listed - kMaxListed);
}

void print_skipped(const Report& report) {
  if (report.skipped.empty()) return;
  fmt::print("\nNot made again: {} {}\n", report.skipped.size(),
             report.skipped.size() == 1 ? "call" : "calls");
  for (std::size_t i = 0; i < std::min(report.skipped.size(), kMaxListed); ++i)
    fmt::print("{}  {}  {}\n", report.skipped[i].call_id, report.skipped[i].tool,
               report.skipped[i].why);
  if (report.skipped.size() > kMaxListed)
    fmt::print("and {} more (-o json has all)\n", report.skipped.size() - kMaxListed);
}

}  // namespace

bool Report::holds() const {
  return std::all_of(judged.begin(), judged.end(), [](const auto& one) { return one.holds; });
}

OrderedJson to_json(const Report& report) {
  OrderedJson json = {{"session_id", report.session},
                      {"against", report.against},
                      {"replay_session_id", report.replayed.session},
                      {"holds", report.holds()},
                      {"judgements", OrderedJson::array()},
                      {"calls", OrderedJson::array()},
                      {"skipped", OrderedJson::array()}};
  for (const auto& one : report.judged)
    json["judgements"].push_back({{"name", one.name}, {"holds", one.holds}, {"text", one.text}});
  for (const auto& pair : report.replayed.pairs)
    json["calls"].push_back({{"tool", pair.tool},
                             {"recorded", ending_json(pair.recorded)},
                             {"replayed", ending_json(pair.replayed)},
                             {"differences", pair.differences}});
  for (const auto& call : report.skipped)
    json["skipped"].push_back({{"call_id", call.call_id}, {"tool", call.tool}, {"why", call.why}});
  return json;
}

void print(const Report& report, const terminal::View& view) {
  if (view.json()) return client::print_json(to_json(report));
  print_tools(report, view);
  print_differences(report);
  print_skipped(report);
  fmt::print("\n");
  for (const auto& one : report.judged)
    fmt::print(
        "{} {:<9} {}\n",
        one.holds ? view.style(Colour::kGreen, "holds ") : view.style(Colour::kRed, "BROKEN"),
        one.name, one.text);
}

}  // namespace toolway::cli::replay
