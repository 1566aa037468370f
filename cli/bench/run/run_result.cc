#include "cli/bench/run/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal/table.h"

namespace toolway::cli::bench::run {
namespace {

OrderedJson to_json(const figures::Figures& figures) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : figures) json[name] = std::round(value * 1000) / 1000;
  return json;
}

std::string latency_table(const RunResult& result) {
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const std::string& name, const std::string& prefix,
                       const figures::Figures& figures) {
    std::vector<std::string> cells{name};
    for (const char* share : {"p50", "p90", "p95", "p99", "p999", "max"}) {
      const double ms = figures.at(prefix + share);
      cells.push_back(std::isnan(ms) ? "-" : fmt::format("{:.2f}", ms));
    }
    rows.push_back(std::move(cells));
  };
  row("accepted", "accepted.", result.figures);
  row("first event", "first_event.", result.figures);
  row("completion", "", result.figures);
  if (result.groups.size() > 1)
    for (const auto& [name, figures] : result.groups) row("completion, " + name, "", figures);
  return terminal::render_table({"MS", "P50", "P90", "P95", "P99", "P99.9", "MAX"}, rows);
}

std::string resources_text(const RunResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [role, growth] : figures::growth_by_role(result.stack.samples)) {
    const auto cell = [](double first, double last, const char* unit) {
      return fmt::format("{:.0f} -> {:.0f}{}", first, last, unit);
    };
    rows.push_back({role, cell(growth.first.memory_mb, growth.last.memory_mb, " MB"),
                    cell(growth.first.fds, growth.last.fds, ""),
                    cell(growth.first.threads, growth.last.threads, "")});
  }
  if (rows.empty()) return {};
  const auto lag = result.figures.find("lag_messages");
  return "\nwhat processes held, first and last tenth of the run:\n" +
         terminal::render_table({"ROLE", "MEMORY", "DESCRIPTORS", "THREADS"}, rows) +
         (lag == result.figures.end()
              ? ""
              : fmt::format("collectors were at most {:.0f} messages behind\n", lag->second));
}

std::string after_kills(const figures::Figures& figures, std::size_t calls,
                        const std::string& prefix, std::string_view what) {
  if (calls == 0) return {};
  return fmt::format(
      "{} calls of killed workers {}, after the kill: p50 {:.1f} s, p99 {:.1f} s, longest {:.1f} s\n",
      calls, what, figures.at(prefix + "p50") / 1000, figures.at(prefix + "p99") / 1000,
      figures.at(prefix + "max") / 1000);
}

}  // namespace

bool RunResult::holds() const {
  return stack.error.empty() && std::all_of(judged.begin(), judged.end(),
                                            [](const figures::Judged& one) { return one.holds; });
}

std::vector<Point> series(const figures::LoadRecord& record, std::size_t most) {
  const auto& seconds = record.seconds();
  const auto step = std::max<std::size_t>(1, (seconds.size() + most - 1) / most);
  std::vector<Point> points;
  for (std::size_t begin = 0; begin < seconds.size(); begin += step) {
    const auto end = std::min(begin + step, seconds.size());
    std::vector<float> times;
    for (std::size_t i = begin; i < end; ++i)
      for (const auto& call : seconds[i].calls) times.push_back(call.completion);
    const auto count = static_cast<double>(times.size());
    const auto at = [&times](double part) {
      return static_cast<double>(figures::percentile(times, part));
    };
    points.push_back({static_cast<double>(begin), at(0.5), at(0.95), at(0.99),
                      count / static_cast<double>(end - begin)});
  }
  return points;
}

OrderedJson to_json(const scenario::Scenario& scenario, const RunResult& result) {
  OrderedJson json = {
      {"scenario", scenario.name},         {"seconds", std::round(result.seconds * 10) / 10},
      {"holds", result.holds()},           {"broken_streams", result.broken_streams},
      {"takeovers", result.takeovers},     {"unknown", result.unknown},
      {"figures", to_json(result.figures)}};
  json["groups"] = OrderedJson::object();
  for (const auto& [name, figures] : result.groups) json["groups"][name] = to_json(figures);
  json["thresholds"] = OrderedJson::array();
  for (const auto& one : result.judged)
    json["thresholds"].push_back(
        {{"text", one.threshold.text},
         {"group", one.group},
         {"holds", one.holds},
         {"value", one.measured ? OrderedJson(one.value) : OrderedJson(nullptr)}});
  json["actions"] = OrderedJson::array();
  for (const auto& done : result.stack.done)
    json["actions"].push_back({{"at", std::round(done.at * 100) / 100}, {"what", done.what}});
  json["resources"] = OrderedJson::object();
  for (const auto& [role, growth] : figures::growth_by_role(result.stack.samples)) {
    const auto held = [](const figures::ResourceUse& of) {
      return OrderedJson{{"memory_mb", std::round(of.memory_mb * 10) / 10},
                         {"fds", std::round(of.fds)},
                         {"threads", std::round(of.threads)}};
    };
    json["resources"][role] = {{"first", held(growth.first)}, {"last", held(growth.last)}};
  }
  json["series"] = {{"at", OrderedJson::array()},
                    {"p50_ms", OrderedJson::array()},
                    {"p95_ms", OrderedJson::array()},
                    {"p99_ms", OrderedJson::array()},
                    {"rate", OrderedJson::array()}};
  for (const auto& point : series(result.record, 300)) {
    const auto round = [](double value) { return std::round(value * 100) / 100; };
    json["series"]["at"].push_back(point.at);
    json["series"]["p50_ms"].push_back(round(point.p50_ms));
    json["series"]["p95_ms"].push_back(round(point.p95_ms));
    json["series"]["p99_ms"].push_back(round(point.p99_ms));
    json["series"]["rate"].push_back(round(point.rate));
  }
  return json;
}

std::string report_text(const scenario::Scenario& scenario, const RunResult& result) {
  const auto& figures = result.figures;
  auto text = fmt::format(
      "{}: {:.0f} calls in {:.1f} s, {:.0f} completed a second; {:.0f} refused, {:.0f} failed, {:.0f} lost, {:.0f} seen twice\n\n",
      scenario.name, figures.at("calls"), result.seconds, figures.at("calls_per_s"),
      figures.at("refused"), figures.at("failed"), figures.at("lost"), figures.at("repeats"));
  text += latency_table(result);
  for (const auto& done : result.stack.done)
    text += fmt::format("{}at {:6.1f} s  {}\n", &done == &result.stack.done.front() ? "\n" : "",
                        done.at, done.what);
  if (const auto found = figures.find("take_up"); found != figures.end())
    text += fmt::format("new workers ran their share {:.1f} s after they were told to start\n",
                        found->second / 1000);
  text += after_kills(figures, result.takeovers, "takeover.", "started again");
  text += after_kills(figures, result.unknown, "unknown.", "ended as unknown");
  if (figures.at("retries") > 0 || result.broken_streams > 0)
    text += fmt::format("{:.0f} requests were repeated, {} event streams resumed\n",
                        figures.at("retries"), result.broken_streams);
  text += resources_text(result);
  if (!result.record.first_error().empty())
    text += fmt::format("\nfirst error: {}\n", result.record.first_error());
  if (!result.stack.error.empty()) text += fmt::format("\nthe stack: {}\n", result.stack.error);
  return text;
}

}  // namespace toolway::cli::bench::run
