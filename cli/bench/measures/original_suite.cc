#include "cli/bench/measures/original_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/ids.h"
#include "base/try.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/load/until_recorded.h"
#include "cli/bench/measures/lifecycle.h"
#include "cli/bench/results/run_facts.h"
#include "cli/bench/results/store.h"
#include "cli/client/reporting.h"
#include "cli/process/file_limit.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/progress_line.h"

namespace toolway::cli::bench::measures {
namespace {

constexpr unsigned kSessions = 200;
constexpr unsigned kOpen = 10'000;

scenario::Scenario load_of(const char* name, unsigned sessions, scenario::Pace pace,
                           const scenario::Stage& stage) {
  scenario::Scenario scenario{.name = name,
                              .description = {},
                              .stack = {},
                              .warm_up = 3,
                              .groups = {},
                              .thresholds = {},
                              .actions = {}};
  scenario::LoadGroup group{.name = name,
                            .user = std::string("suite-") + name,
                            .sessions = sessions,
                            .pace = pace,
                            .stages = {stage},
                            .calls = {{}}};
  scenario.groups.push_back(std::move(group));
  return scenario;
}

class OriginalSuite {
 public:
  OriginalSuite(stack::Stack& stack, process::HostPort where, process::StopSignals& signals)
      : stack_(stack), where_(std::move(where)), signals_(signals) {}

  Result<SuiteMeasured> run() {
    // First, in processes that have not grown yet: what they hold afterwards is what the sessions
    // took.
    RETURN_IF_ERROR(sessions());
    RETURN_IF_ERROR(lifecycle());
    ASSIGN_OR_RETURN(auto latency,
                     load(load_of("latency", 16, scenario::Pace::kRate, {15, 1000, 1000})));
    measured_.p50_ms = latency.at("p50");
    measured_.p99_ms = latency.at("p99");
    ASSIGN_OR_RETURN(auto throughput,
                     load(load_of("throughput", 64, scenario::Pace::kConcurrency, {12, 192, 192})));
    measured_.calls_per_s = throughput.at("calls_per_s");
    return measured_;
  }

 private:
  Result<void> lifecycle() {
    options::BenchOptions options;
    options.user = "suite-lifecycle";
    options.sessions = kOpen;
    options.followers = 0;
    const int gateway = stack_.description()["pids"]["gateway"][0].get<int>();
    ASSIGN_OR_RETURN(auto result, measure_lifecycle(options, where_, gateway, line_));
    measured_.close_p99_ms = result.close_p99_ms;
    measured_.restore_p99_ms = result.restore_p99_ms;
    measured_.overhead_kb = result.per_session_kb;
    return {};
  }

  Result<void> sessions() {
    const auto before = resident();
    ASSIGN_OR_RETURN(auto figures,
                     load(load_of("sessions", kSessions, scenario::Pace::kRate, {15, 1000, 1000})));
    measured_.sessions = kSessions;
    measured_.sessions_p99_ms = figures.at("p99");
    measured_.session_mb =
        std::max(0.0, static_cast<double>(resident() - before) / 1024 / kSessions);
    return {};
  }

  /// KB of all processes of Toolway's.
  std::int64_t resident() const {
    std::int64_t sum = 0;
    const auto description = stack_.description();
    for (const char* role : {"gateway", "worker", "collector"})
      for (const auto& pid : description["pids"][role]) sum += figures::resident_kb(pid.get<int>());
    return sum;
  }

  Result<figures::Figures> load(const scenario::Scenario& scenario) {
    const load::LoadTarget target{
        .gateways = {where_}, .run = "load-" + random_hex(4), .warm_up = scenario.warm_up};
    ASSIGN_OR_RETURN(auto made, load::run_until_recorded(
                                    scenario, target,
                                    {.kind_call = [](const std::string&) { return OrderedJson(); },
                                     .progress = line_},
                                    signals_));
    line_.clear();
    for (const char* name : {"lost", "failed", "refused", "repeats"})
      measured_.errors += made.figures.at(name);
    return std::move(made.figures);
  }

  stack::Stack& stack_;
  const process::HostPort where_;
  process::StopSignals& signals_;
  const terminal::ProgressLine line_;
  SuiteMeasured measured_;
};

Result<SuiteMeasured> measure(const options::ScenarioOptions& options,
                              process::StopSignals& signals) {
  ASSIGN_OR_RETURN(auto own, stack::OwnStack::start(options.stack, signals));
  auto& stack = own->stack();
  ASSIGN_OR_RETURN(
      auto where, process::parse_host_port(stack.url().substr(std::string_view("http://").size())));
  return OriginalSuite(stack, where, signals).run();
}

OrderedJson to_json(const SuiteMeasured& measured) {
  return {{"p50", measured.p50_ms},
          {"p99", measured.p99_ms},
          {"sessions", measured.sessions},
          {"sessions_p99", measured.sessions_p99_ms},
          {"session_mb", measured.session_mb},
          {"overhead_kb", measured.overhead_kb},
          {"close_p99", measured.close_p99_ms},
          {"restore_p99", measured.restore_p99_ms},
          {"calls_per_s", measured.calls_per_s},
          {"errors", measured.errors}};
}

}  // namespace

std::vector<results::JudgedFigure> suite_figures(const SuiteMeasured& measured) {
  const bool kept = measured.errors == 0;
  return {
      {"call latency, p50 / p99, at 1,000 calls/s",
       fmt::format("{:.1f} / {:.1f} ms", measured.p50_ms, measured.p99_ms), "50 / 100 ms",
       kept && measured.p50_ms <= 50 && measured.p99_ms <= 100},
      {"concurrent sessions, each followed and called",
       fmt::format("{}, with p99 {:.1f} ms", measured.sessions, measured.sessions_p99_ms),
       "100 to 200, p99 100 ms",
       kept && measured.sessions >= 200 && measured.sessions_p99_ms <= 100},
      {"memory and overhead per session",
       fmt::format("{:.3f} MB / {:.1f} KB", measured.session_mb, measured.overhead_kb),
       "1 MB / 100 KB", measured.session_mb <= 1 && measured.overhead_kb <= 100},
      {"cleanup: close of a session, p99", fmt::format("{:.2f} ms", measured.close_p99_ms), "10 ms",
       measured.close_p99_ms <= 10},
      {"restore with 100 unread completions, p99",
       fmt::format("{:.2f} ms", measured.restore_p99_ms), "100 ms", measured.restore_p99_ms <= 100},
      {"throughput, in Postgres", fmt::format("{:.0f} calls/s", measured.calls_per_s),
       "1,000 calls/s", kept && measured.calls_per_s >= 1000},
  };
}

int run_original_suite(const options::ScenarioOptions& options, const terminal::Style& style) {
  if (!options.url.empty())
    return client::report_error(
        {ErrorCode::kInvalidRequest,
         "--suite measures the memory of processes, so it needs a stack of its own (no --url)",
         {}});
  process::StopSignals signals;
  process::raise_file_limit();
  auto result = results::facts_before_run({{"suite", "original"}});
  const auto measured = measure(options, signals);
  if (!measured) return client::report_error(measured.error());
  const bool all =
      results::print_judged_table(suite_figures(*measured), "BENCHMARK", "MEASURED", style);
  fmt::print(
      "\n{:.0f} calls lost, failed, refused or seen twice; {} cores, load average {:.1f} before\n",
      measured->errors, result["machine"]["cores"].get<unsigned>(),
      result["machine"]["load_before"].get<double>());
  const bool holds = measured->errors == 0 && all;
  result["scenario"] = "original";
  result["holds"] = holds;
  result["figures"] = to_json(*measured);
  if (auto kept = results::keep_in_store(options, "original", result); !kept)
    return client::report_error(kept.error());
  return holds ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace toolway::cli::bench::measures
