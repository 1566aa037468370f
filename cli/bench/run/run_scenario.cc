#include "cli/bench/run/run_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/try.h"
#include "cli/bench/kinds/kinds.h"
#include "cli/bench/load/kept.h"
#include "cli/bench/load/load_run.h"
#include "cli/bench/results/run_facts.h"
#include "cli/bench/run/keep_result.h"
#include "cli/bench/run/run_result.h"
#include "cli/bench/run/stack_operator.h"
#include "cli/bench/run/take_up.h"
#include "cli/bench/scenario/scenario_reader.h"
#include "cli/client/reporting.h"
#include "cli/process/file_limit.h"
#include "cli/process/host_port.h"
#include "cli/process/named_file.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/progress_line.h"

namespace toolway::cli::bench::run {
namespace {

/// Reads the file and fits it to the options; nothing when it has mistakes, which are said.
std::optional<scenario::Scenario> read_file_of(const options::ScenarioOptions& options) {
  const auto text = process::read_named_file(options.file);
  if (!text) {
    client::report_error(text.error());
    return std::nullopt;
  }
  auto read = scenario::read_scenario(*text, options.file);
  for (const auto& mistake : read.mistakes) fmt::print(stderr, "{}\n", mistake.text());
  if (!read.mistakes.empty()) return std::nullopt;
  if (options.scale != 1) scenario::scale_load(read.scenario, options.scale);
  if (options.seconds > 0) scenario::fit_into(read.scenario, options.seconds);
  return std::move(read.scenario);
}

/// The kind other than native that the scenario calls; empty: none.
std::string other_kind(const scenario::Scenario& scenario) {
  for (const auto& group : scenario.groups)
    for (const auto& call : group.calls)
      if (call.kind != "native") return call.kind;
  return {};
}

/// What only works with a stack of one's own.
Result<void> fit_for_url(const scenario::Scenario& scenario) {
  const auto no = [](const std::string& what) {
    return fail(ErrorCode::kInvalidRequest,
                what + " needs a stack of its own; leave out --url, or take it out of the file");
  };
  if (const auto kind = other_kind(scenario); !kind.empty()) return no("`kind: " + kind + "`");
  for (const auto& action : scenario.actions)
    if (action.what != scenario::Action::What::kDropFollowers) return no("an action on the stack");
  for (const auto& threshold : scenario.thresholds)
    if (figures::find_figure(threshold.metric)->of == figures::FigureOf::kRun)
      return no(fmt::format("the threshold \"{}\"", threshold.text));
  return {};
}

Result<std::vector<process::HostPort>> gateways_of(const std::string& urls) {
  std::vector<process::HostPort> gateways;
  constexpr std::string_view kScheme = "http://";
  for (std::size_t begin = 0; begin <= urls.size();) {
    const auto end = std::min(urls.find(',', begin), urls.size());
    const auto url = urls.substr(begin, end - begin);
    ASSIGN_OR_RETURN(auto where, process::parse_host_port(
                                     url.starts_with(kScheme) ? url.substr(kScheme.size()) : url));
    gateways.push_back(where);
    begin = end + 1;
  }
  return gateways;
}

stack::StackOptions stack_options(const options::ScenarioOptions& options,
                                  const scenario::Scenario& scenario) {
  auto stack = options.stack;
  stack.gateways = scenario.stack.gateways;
  stack.workers = scenario.stack.workers;
  stack.collectors = scenario.stack.collectors;
  if (!scenario.stack.pools.empty()) stack.pools = scenario.stack.pools;
  stack.settings.insert(stack.settings.end(), scenario.stack.settings.begin(),
                        scenario.stack.settings.end());
  return stack;
}

bool judged(const figures::Threshold& threshold, options::Judge which) {
  return which == options::Judge::kAll || figures::find_figure(threshold.metric)->correctness;
}

void append(std::vector<float>& to, const std::vector<float>& times) {
  to.insert(to.end(), times.begin(), times.end());
}

/// The figures of `times` (ms), which it reorders; none of none.
void add_after_kills(figures::Figures& figures, const std::string& prefix,
                     std::vector<float>& times) {
  if (times.empty()) return;
  constexpr std::pair<const char*, double> kShares[] = {{"p50", 0.5}, {"p99", 0.99}, {"max", 1}};
  for (const auto& [name, share] : kShares)
    figures[prefix + name] = static_cast<double>(figures::percentile(times, share));
}

/// Puts together what the run has shown.
RunResult conclude(const scenario::Scenario& scenario, const load::LoadRun& load, OperatorLog stack,
                   options::Judge which) {
  RunResult result{.stack = std::move(stack), .seconds = load.seconds()};
  std::vector<load::CallStart> starts;
  std::vector<float> takeovers;
  std::vector<float> unknown;
  for (const auto& group : load.groups()) {
    auto record = group->record();
    const auto& attempts = group->attempts();
    append(takeovers, takeover_times(result.stack.killed, attempts.again()));
    append(unknown, unknown_times(result.stack.killed, attempts.unknown(), record));
    result.record.add(record);
    result.groups[group->group().name] = record.figures(load.seconds());
    result.broken_streams += group->broken_streams();
    if (starts.empty()) starts = attempts.starts();
  }
  result.figures = result.record.figures(load.seconds());
  result.figures.merge(figures::resource_figures(result.stack.samples));
  for (const auto& scaled : result.stack.scaled)
    if (const auto took =
            scaled.up ? take_up_seconds(starts, scaled.at, scaled.workers) : std::nullopt)
      result.figures["take_up"] = std::max(result.figures["take_up"], *took * 1000);
  result.takeovers = takeovers.size();
  result.unknown = unknown.size();
  add_after_kills(result.figures, "takeover.", takeovers);
  add_after_kills(result.figures, "unknown.", unknown);
  for (const auto& threshold : scenario.thresholds)
    if (judged(threshold, which))
      result.judged.push_back(figures::judge(threshold, "", result.figures));
  for (const auto& group : scenario.groups)
    for (const auto& threshold : group.thresholds)
      if (judged(threshold, which))
        result.judged.push_back(
            figures::judge(threshold, group.name, result.groups.at(group.name)));
  return result;
}

Result<RunResult> measure(const scenario::Scenario& scenario,
                          const options::ScenarioOptions& options, process::StopSignals& signals) {
  const terminal::ProgressLine line;
  auto stack = stack_options(options, scenario);
  std::unique_ptr<kinds::KindUnderTest> kind;
  if (const auto name = other_kind(scenario); !name.empty()) {
    ASSIGN_OR_RETURN(kind, kinds::KindUnderTest::create(name));
    kind->add_to(stack);
  }
  std::unique_ptr<stack::OwnStack> own;
  load::LoadTarget target{
      .gateways = {}, .run = "load-" + random_hex(4), .warm_up = scenario.warm_up};
  std::string urls = options.url;
  if (urls.empty()) {
    line("starting a stack for this run");
    ASSIGN_OR_RETURN(own, stack::OwnStack::start(stack, signals));
    urls = fmt::format(
        "{}",
        fmt::join(own->stack().description()["http_all"].get<std::vector<std::string>>(), ","));
  }
  auto gateways = gateways_of(urls);
  RETURN_IF_ERROR(gateways);
  target.gateways = *std::move(gateways);
  for (const auto& action : scenario.actions)
    target.keep_starts |= action.what == scenario::Action::What::kScaleWorkers;
  std::optional<StackOperator> stack_operator;
  if (own) stack_operator.emplace(own->stack(), scenario);
  load::LoadRun load(scenario, target,
                     {.kind_call = [&](const std::string&) { return kind->call(); },
                      .progress = line,
                      .begun =
                          [&](auto zero) {
                            if (stack_operator) stack_operator->begin(zero);
                          },
                      .keep_on = [&] { return stack_operator && stack_operator->busy(); }});
  auto made = load.run(signals);
  auto log = stack_operator ? stack_operator->stop() : OperatorLog{};
  RETURN_IF_ERROR(made);
  for (const auto& group : load.groups())
    RETURN_IF_ERROR(load::compare_with_postgres(*group, target.gateways, line));
  line.clear();
  return conclude(scenario, load, std::move(log), options.judge);
}

void print_judged(const RunResult& result, const terminal::Style& style) {
  if (!result.judged.empty()) fmt::print("\n");
  for (const auto& one : result.judged) {
    const auto is = one.measured ? "is " + figures::figure_text(one.threshold.metric, one.value)
                                 : std::string("was not measured");
    fmt::print("{} {}{} ({})\n",
               one.holds ? style(terminal::Colour::kGreen, "holds ")
                         : style(terminal::Colour::kRed, "BROKEN"),
               one.group.empty() ? "" : one.group + ": ", one.threshold.text, is);
  }
}

}  // namespace

int run_scenario(const options::ScenarioOptions& options, const terminal::Style& style) {
  const auto scenario = read_file_of(options);
  if (!scenario) return terminal::kExitUsage;
  if (options.check) {
    fmt::print("{}: {}, {:.0f} s; no mistakes\n", options.file, scenario->name,
               scenario->seconds());
    return terminal::kExitOk;
  }
  if (!options.url.empty())
    if (auto fit = fit_for_url(*scenario); !fit) return client::report_error(fit.error());
  process::StopSignals signals;
  process::raise_file_limit();
  const auto facts = results::facts_before_run(
      {{"file", options.file},
       {"digest", sha256_hex(process::read_named_file(options.file).value_or(""))},
       {"seconds", scenario->seconds()},
       {"scale", options.scale},
       {"url", options.url},
       {"stack", results::stack_facts(options.stack)}});
  const auto result = measure(*scenario, options, signals);
  if (!result) return client::report_error(result.error());
  fmt::print("{}", report_text(*scenario, *result));
  print_judged(*result, style);
  if (auto kept = keep_result(*scenario, *result, options, facts); !kept)
    return client::report_error(kept.error());
  return result->holds() ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace toolway::cli::bench::run
