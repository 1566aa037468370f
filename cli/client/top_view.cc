#include "cli/client/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {
namespace {

constexpr std::size_t kTools = 10;

/// The value of a label in a line of an exposition; the names of pools need no escapes.
std::string_view label_of(std::string_view line, std::string_view name) {
  const auto begin = line.find(fmt::format("{}=\"", name));
  if (begin == std::string_view::npos) return {};
  const auto rest = line.substr(begin + name.size() + 2);
  return rest.substr(0, rest.find('"'));
}

unsigned number_of(const OrderedJson& object, const char* field) {
  return object.contains(field) && object[field].is_number_unsigned()
             ? object[field].get<unsigned>()
             : 0;
}

std::string ran_text(double milliseconds) {
  return terminal::duration_text(std::chrono::round<std::chrono::microseconds>(
      std::chrono::duration<double, std::milli>(milliseconds)));
}

terminal::Table pools_table(const std::map<std::string, PoolLoad>& pools) {
  using terminal::Align;
  terminal::Table table{.columns = {{.heading = "POOL"},
                                    {.heading = "WORKERS", .align = Align::kRight},
                                    {.heading = "BUSY", .align = Align::kRight},
                                    {.heading = "SLOTS", .align = Align::kRight},
                                    {.heading = "WAITING", .align = Align::kRight},
                                    {.heading = "PAUSED", .rank = 1, .align = Align::kRight}},
                        .nothing = "no workers"};
  for (const auto& [name, pool] : pools) {
    const bool short_of_slots = pool.waiting > 0 && pool.held >= pool.slots;
    table.rows.push_back(
        {.cells = {name,
                   fmt::format("{}", pool.workers),
                   fmt::format("{}", pool.held),
                   fmt::format("{}", pool.slots),
                   {fmt::format("{:.0f}", pool.waiting),
                    short_of_slots ? std::optional(terminal::Colour::kYellow) : std::nullopt},
                   fmt::format("{}", pool.paused)},
         .name = {}});
  }
  return table;
}

terminal::Table tools_table(const std::vector<ToolLoad>& tools) {
  using terminal::Align;
  terminal::Table table{.columns = {{.heading = "SLOWEST TOOLS", .least = 20},
                                    {.heading = "CALLS", .align = Align::kRight},
                                    {.heading = "OPEN", .align = Align::kRight},
                                    {.heading = "FAILED", .align = Align::kRight},
                                    {.heading = "MEDIAN", .rank = 1, .align = Align::kRight},
                                    {.heading = "LONGEST", .align = Align::kRight}},
                        .nothing = "no calls"};
  for (const auto& tool : tools) {
    if (table.rows.size() == kTools) break;
    table.rows.push_back(
        {.cells = {tool.tool,
                   fmt::format("{}", tool.calls),
                   fmt::format("{}", tool.open),
                   {fmt::format("{}", tool.not_succeeded),
                    tool.not_succeeded > 0 ? std::optional(terminal::Colour::kRed) : std::nullopt},
                   ran_text(tool.median_ms),
                   ran_text(tool.longest_ms)},
         .name = {}});
  }
  return table;
}

}  // namespace

std::map<std::string, PoolLoad> pool_loads(const OrderedJson& workers, std::string_view metrics) {
  std::map<std::string, PoolLoad> pools;
  for (const auto& worker : workers.value("workers", OrderedJson::array())) {
    auto& pool = pools[cell(worker, "pool")];
    ++pool.workers;
    pool.slots += number_of(worker, "slots");
    pool.held += number_of(worker, "held");
    if (worker.value("paused", false) || worker.value("draining", false)) ++pool.paused;
  }
  while (!metrics.empty()) {
    const auto end = std::min(metrics.find('\n'), metrics.size());
    const auto line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    if (!line.starts_with("toolway_queue_depth{") || label_of(line, "state") != "pending") continue;
    double depth = 0;
    if (const auto blank = line.rfind(' ');
        blank != std::string_view::npos && parse_number(line.substr(blank + 1), depth))
      pools[std::string(label_of(line, "pool"))].waiting += depth;
  }
  return pools;
}

std::vector<ToolLoad> tool_loads(const OrderedJson& calls) {
  std::map<std::string, std::pair<ToolLoad, std::vector<double>>> tools;
  for (const auto& call : calls) {
    auto& [load, ran] = tools[cell(call, "namespace") + "." + cell(call, "tool")];
    ++load.calls;
    const auto outcome = cell(call, "outcome");
    if (outcome.empty()) ++load.open;
    if (!outcome.empty() && outcome != "succeeded") ++load.not_succeeded;
    if (call.contains("ran_ms") && call["ran_ms"].is_number())
      ran.push_back(call["ran_ms"].get<double>());
  }
  std::vector<ToolLoad> loads;
  for (auto& [name, tool] : tools) {
    auto& [load, ran] = tool;
    load.tool = name;
    std::ranges::sort(ran);
    if (!ran.empty()) {
      load.median_ms = ran[ran.size() / 2];
      load.longest_ms = ran.back();
    }
    loads.push_back(std::move(load));
  }
  std::ranges::stable_sort(loads, std::ranges::greater(), &ToolLoad::longest_ms);
  return loads;
}

std::string top_text(const TopAnswers& answers, const terminal::View& view) {
  const auto calls = answers.calls.value("calls", OrderedJson::array());
  std::size_t open = 0;
  std::size_t failed = 0;
  const auto tools = tool_loads(calls);
  for (const auto& tool : tools) {
    open += tool.open;
    failed += tool.not_succeeded;
  }
  const bool more = !cell(answers.calls, "next").empty();
  auto text =
      fmt::format("Your calls, last {} s: {}{}, {}{:.1f}/s, {} open, {} not succeeded\n\n",
                  answers.seconds, more ? "more than " : "", calls.size(), more ? "more than " : "",
                  static_cast<double>(calls.size()) / answers.seconds, open, failed);
  text += terminal::render(pools_table(pool_loads(answers.workers, answers.metrics)), view);
  text += "\n" + terminal::render(tools_table(tools), view);
  return text;
}

}  // namespace toolway::cli::client
