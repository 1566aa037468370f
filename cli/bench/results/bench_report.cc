#include "cli/bench/results/bench_report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/terminal/table.h"

namespace toolway::cli::bench::results {
namespace {

using namespace std::string_literals;

constexpr const char* kStages[] = {"accepted", "first_event", "completion", "recorded"};
constexpr const char* kPercentiles[] = {"p50", "p90", "p95", "p99", "p999"};

double figure(const figures::Figures& figures, const char* stage, const char* percentile) {
  return figures.at(fmt::format("{}.{}", stage, percentile));
}

std::uint64_t whole(const figures::Figures& figures, const char* name) {
  return static_cast<std::uint64_t>(figures.at(name));
}

void print_bare(const OrderedJson& result) {
  if (!result.contains("bare")) return;
  const auto& bare = result["bare"];
  fmt::print(
      "\n{}: {:.0f} calls/s, one alone {:.2f} ms (p50); ratio {:.2f}, completion p50 {:+.2f} ms over it\n",
      bare["what"].get<std::string>(), bare["calls_per_s"].get<double>(),
      bare["p50_ms"].get<double>(), bare["ratio"].get<double>(), bare["over_ms"].get<double>());
}

}  // namespace

OrderedJson figures_json(const figures::Figures& figures) {
  OrderedJson result = {{"calls", whole(figures, "calls")},
                        {"errors", whole(figures, "errors")},
                        {"calls_per_s", figures.at("calls_per_s")}};
  for (const char* stage : kStages) {
    for (const char* percentile : kPercentiles) {
      const double ms = figure(figures, stage, percentile);
      // To the nanosecond; none of no calls.
      result[stage][percentile + "_ms"s] =
          std::isnan(ms) ? OrderedJson() : OrderedJson(std::round(ms * 1e6) / 1e6);
    }
  }
  return result;
}

void print_memory(const figures::Figures& figures, const figures::GatewayMemory& memory,
                  const load::GroupRun& load) {
  fmt::print(
      "\ngateway: {:.1f} KB per session ({}), {:.1f} KB per follower ({}); RSS {} MB at first, {} with "
      "sessions, {} with followers, {} after the calls\n",
      figures.at("per_session_kb"), load.group().sessions, figures.at("per_follower_kb"),
      load.followed().size(), memory.before / 1024, memory.sessions / 1024, memory.followers / 1024,
      memory.after / 1024);
}

void print_summary(const BenchResult& result, const terminal::Style& style) {
  const auto& [figures, json, load] = result;
  fmt::print("\n{} calls, {} errors, {} calls/s\n\n", whole(figures, "calls"),
             whole(figures, "errors"),
             style(terminal::Colour::kBold, fmt::format("{:.0f}", figures.at("calls_per_s"))));
  std::vector<std::vector<std::string>> rows;
  for (const char* stage : kStages) {
    std::vector<std::string> row{stage};
    for (const char* percentile : kPercentiles) {
      const double ms = figure(figures, stage, percentile);
      row.push_back(std::isnan(ms) ? "-" : fmt::format("{:.2f}", ms));
    }
    rows.push_back(std::move(row));
  }
  fmt::print("{}", terminal::render_table({"MS", "P50", "P90", "P95", "P99", "P99.9"}, rows));
  print_bare(json);
  fmt::print("\n{} events seen{}\n", load.events(),
             figures.at("errors") == 0 ? ", none missing, none twice" : "");
  if (const auto& error = load.record().first_error(); !error.empty())
    fmt::print("\nfirst error: {}\n", error);
  if (load.broken_streams() > 0)
    fmt::print("event streams reconnected: {}\n", load.broken_streams());
}

}  // namespace toolway::cli::bench::results
