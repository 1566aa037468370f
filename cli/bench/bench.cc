#include "cli/bench/bench.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <sstream>

#include "base/bearer_token.h"
#include "base/ids.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/bench/chat/run_chat.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/kinds/kinds.h"
#include "cli/bench/load/kept.h"
#include "cli/bench/load/load_run.h"
#include "cli/bench/load/recorded.h"
#include "cli/bench/measures/floor.h"
#include "cli/bench/measures/floor_ratio.h"
#include "cli/bench/measures/in_flight.h"
#include "cli/bench/measures/lifecycle.h"
#include "cli/bench/measures/mcp_face.h"
#include "cli/bench/measures/original_suite.h"
#include "cli/bench/profile/run_profile.h"
#include "cli/bench/results/bench_report.h"
#include "cli/bench/results/run_facts.h"
#include "cli/bench/run/run_scenario.h"
#include "cli/bench/scenario/bench_scenario.h"
#include "cli/client/reporting.h"
#include "cli/policies/verbs.h"
#include "cli/process/file_limit.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/progress_line.h"

namespace toolway::cli::bench {
namespace {

using namespace std::string_literals;

/// What a bench has found.
struct Measured {
  figures::Figures figures;  ///< by the names that --slo has for them
  OrderedJson json;          ///< as --json has it
};

/// The figures of a load by the names that --slo has for them.
figures::Figures figures_of(const load::LoadRun& load, load::Recorded& recorded) {
  // A call counts when its client has seen it and Postgres has it, so the slower of the two ends
  // the run.
  auto figures =
      load.groups().front()->record().figures(std::max(load.seconds(), recorded.seconds));
  for (const auto& [name, share] : figures::kShares)
    figures["completion."s + name] = figures.at(name);
  figures::add_shares(figures, "recorded.", recorded.ms);
  for (const char* error : {"refused", "failed", "lost", "repeats"})
    figures["errors"] += figures.at(error);
  return figures;
}

void add_memory(Measured& measured, const figures::GatewayMemory& memory,
                const load::GroupRun& load) {
  auto& figures = measured.figures;
  figures["per_session_kb"] = memory.per_session_kb(load.group().sessions);
  figures["per_follower_kb"] = memory.per_follower_kb(load.followed().size());
  measured.json["memory"] = {{"per_session_kb", figures["per_session_kb"]},
                             {"per_follower_kb", figures["per_follower_kb"]}};
}

/// Writes the result down, and says whether everything holds.
Result<int> finish(const Measured& measured, const options::BenchOptions& options,
                   const std::vector<figures::Threshold>& slos, const terminal::Style& style) {
  RETURN_IF_ERROR(results::write_text(options.json, measured.json.dump(2) + "\n"));
  bool held = measured.figures.at("errors") == 0;
  for (const auto& slo : slos) {
    const auto judged = figures::judge(slo, {}, measured.figures);
    held = held && judged.holds;
    fmt::print("{} {} ({})\n",
               judged.holds ? style(terminal::Colour::kGreen, "holds ")
                            : style(terminal::Colour::kRed, "BROKEN"),
               slo.text,
               judged.measured ? fmt::format("is {:.3f}", judged.value) : "was not measured");
  }
  return held ? terminal::kExitOk : terminal::kExitInternal;
}

Result<Measured> measure_worker_memory(const options::BenchOptions& options,
                                       process::StopSignals& signals,
                                       const terminal::ProgressLine& line) {
  ASSIGN_OR_RETURN(const auto measured, measures::measure_in_flight(options, signals, line));
  line.clear();
  const auto mb = [](std::int64_t kb) { return static_cast<double>(kb) / 1024; };
  fmt::print(
      "{} HTTP calls in flight in one worker after {:.2f} s: RSS {:.1f} MB; {:.1f} MB before, {:.1f} MB after\n",
      measured.calls, measured.begun_s, mb(measured.with_kb), mb(measured.before_kb),
      mb(measured.after_kb));
  return Measured{
      .figures = {{"calls", measured.calls}, {"errors", 0}, {"worker_mb", mb(measured.with_kb)}},
      .json = {{"calls", measured.calls},
               {"errors", 0},
               {"worker_mb", mb(measured.with_kb)},
               {"worker_before_mb", mb(measured.before_kb)},
               {"worker_after_mb", mb(measured.after_kb)}}};
}

/// The kind of `--kind`, whose settings `options` get; null: native.
Result<std::unique_ptr<kinds::KindUnderTest>> kind_of(options::BenchOptions& options) {
  if (options.kind == "native") return nullptr;
  if (!options.url.empty())
    return fail(ErrorCode::kInvalidRequest,
                "--kind brings its own tool, so it needs a stack of its own (no --url)");
  auto kind = kinds::KindUnderTest::create(options.kind);
  RETURN_IF_ERROR(kind);
  (*kind)->add_to(options.stack);
  if (options.concurrency == 0) options.concurrency = (*kind)->concurrency();
  return kind;
}

/// Reads what the options name besides: tokens, and a policy for a stack of its own.
Result<void> read_files(options::BenchOptions& options) {
  if (!options.tokens_file.empty()) {
    ASSIGN_OR_RETURN(const auto text, os::read_file(options.tokens_file));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ASSIGN_OR_RETURN(auto token, checked_token(line, "a line of " + options.tokens_file));
      options.tokens.push_back(std::move(token));
    }
    if (options.tokens.empty())
      return fail(ErrorCode::kInvalidRequest, options.tokens_file + " holds no tokens");
  }
  if (options.extensions.empty()) return {};
  options.stack.before_fleet = [file = options.extensions](const std::string& nats) {
    const auto put = policies::put_policy_file({.nats = nats, .data = {}}, file, "");
    return put ? Result<void>() : fail(put.error());
  };
  return policies::check_file(options.extensions);
}

/// A stack for this run, which `options` then name; null: they name one already.
Result<std::unique_ptr<stack::OwnStack>> own_stack(options::BenchOptions& options,
                                                   process::StopSignals& signals,
                                                   const terminal::ProgressLine& line) {
  if (!options.url.empty()) return nullptr;
  line("starting a stack for this run");
  auto own = stack::OwnStack::start(options.stack, signals);
  RETURN_IF_ERROR(own);
  options.url = (*own)->stack().url();
  return own;
}

/// Measures what the calls of a kind cannot be faster than: its mechanism.
Result<void> add_bare(Measured& measured, const kinds::KindUnderTest& kind,
                      const terminal::ProgressLine& line) {
  line("measuring the bare mechanism");
  ASSIGN_OR_RETURN(auto bare, kind.measure_bare());
  const auto calls_per_s = measured.figures.at("calls_per_s");
  measured.json["bare"] = {{"what", bare.what},
                           {"calls_per_s", bare.calls_per_s},
                           {"p50_ms", bare.p50_ms},
                           {"ratio", bare.calls_per_s > 0 ? calls_per_s / bare.calls_per_s : 0.0},
                           {"over_ms", measured.figures.at("completion.p50") - bare.p50_ms}};
  return {};
}

/// What calls are measured on.
struct CallTarget {
  process::HostPort where;
  const kinds::KindUnderTest* kind = nullptr;  ///< null: native
  int gateway = 0;  ///< pid, if it was started for this: its memory is reported
};

/// Compares a load with what Postgres has, which becomes part of its record.
Result<load::Recorded> compare(load::GroupRun& group, const load::LoadTarget& target,
                               client::HttpClient& client, process::StopSignals& signals,
                               const terminal::ProgressLine& line) {
  ASSIGN_OR_RETURN(const auto lost, load::compare_with_postgres(group, target.gateways, line));
  auto recorded = load::read_recorded(client, group.followed(), group.ids(), signals, line);
  if (recorded && recorded->missing > lost)
    group.record().lost(recorded->missing - lost,
                        fmt::format("{} calls have no row in Postgres", recorded->missing));
  return recorded;
}

Result<Measured> measure_calls(const options::BenchOptions& options, const CallTarget& of,
                               process::StopSignals& signals, const terminal::ProgressLine& line,
                               const terminal::Style& style) {
  ASSIGN_OR_RETURN(auto client,
                   client::HttpClient::create(
                       {.url = options.url,
                        .user = options.user,
                        .reach = {.token = options.tokens.empty() ? "" : options.tokens.front()}}));
  // When no gateway is there, this says what to do.
  RETURN_IF_ERROR(client->request("GET", "/livez"));
  const auto scenario = scenario::scenario_of(options);
  const load::LoadTarget target{.gateways = {of.where},
                                .run = "bench-" + random_hex(4),
                                .warm_up = scenario.warm_up,
                                .settle = true,
                                .keep_ids = true};
  figures::GatewayMemory memory{.before = figures::resident_kb(of.gateway)};
  load::LoadRun load(scenario, target,
                     {.kind_call = [&](const std::string&) { return of.kind->call(); },
                      .progress = line,
                      .opened = [&] { memory.sessions = figures::resident_kb(of.gateway); },
                      .followed = [&] { memory.followers = figures::resident_kb(of.gateway); }});
  auto& group = *load.groups().front();
  const auto made = load.run(signals);
  memory.after = figures::resident_kb(of.gateway);
  if (!made) {
    if (const auto& error = group.record().first_error(); !error.empty())
      fmt::print(stderr, "\n{}\n", error);
    return fail(made.error());
  }
  auto recorded = compare(group, target, *client, signals, line);
  RETURN_IF_ERROR(recorded);
  Measured measured{.figures = figures_of(load, *recorded)};
  measured.json = results::figures_json(measured.figures);
  if (options.floor && of.kind != nullptr) RETURN_IF_ERROR(add_bare(measured, *of.kind, line));
  if (of.gateway != 0) add_memory(measured, memory, group);
  line.clear();
  results::print_summary({measured.figures, measured.json, group}, style);
  // With few sessions this would only measure the size of a page.
  if (of.gateway != 0 && scenario.groups.front().sessions >= 100)
    results::print_memory(measured.figures, memory, group);
  return measured;
}

Result<process::HostPort> address_of(const std::string& url) {
  return process::parse_host_port(
      url.substr(std::min(url.size(), std::string_view("http://").size())));
}

int gateway_of(const stack::Stack& stack) {
  return stack.description()["pids"]["gateway"][0].get<int>();
}

/// Calls of the native kind on a stack of their own, and the messages alone before and after it.
Result<Measured> measure_with_floors(const options::BenchOptions& options,
                                     process::StopSignals& signals,
                                     const terminal::ProgressLine& line,
                                     const terminal::Style& style) {
  if (!options.url.empty())
    return fail(
        ErrorCode::kInvalidRequest,
        "--floor compares with servers of its own, so it needs a stack of its own (no --url)");
  const auto rate = options.rate.value_or(0);
  std::optional<Measured> measured;
  const auto calls = [&]() -> Result<void> {
    auto of_stack = options;
    ASSIGN_OR_RETURN(const auto own, own_stack(of_stack, signals, line));
    ASSIGN_OR_RETURN(const auto where, address_of(of_stack.url));
    ASSIGN_OR_RETURN(measured,
                     measure_calls(of_stack, {.where = where, .gateway = gateway_of(own->stack())},
                                   signals, line, style));
    return {};
  };
  ASSIGN_OR_RETURN(const auto floors,
                   measures::measure_floors({.servers = options.stack,
                                             .seconds = options.seconds > 0 ? options.seconds : 5,
                                             .sessions = options.sessions,
                                             .payload = options.payload,
                                             .two_events = options.progress > 0,
                                             .rate = rate},
                                            signals, line, calls));
  line.clear();
  const auto report = measures::compare_with_floors(measured->figures, floors, rate > 0);
  measured->figures.insert(report.figures.begin(), report.figures.end());
  measured->json.update(report.json);
  fmt::print("\n{}", report.text);
  return std::move(*measured);
}

Result<int> measure(options::BenchOptions& options, const terminal::Style& style,
                    const std::vector<figures::Threshold>& slos, process::StopSignals& signals) {
  const terminal::ProgressLine line;
  if (options.in_flight != 0) {
    const auto measured = measure_worker_memory(options, signals, line);
    return measured ? finish(*measured, options, slos, style) : fail(measured.error());
  }
  if (!options.face.empty()) {
    ASSIGN_OR_RETURN(const auto result, measures::measure_mcp_face(options, signals, line));
    line.clear();
    RETURN_IF_ERROR(
        results::write_text(options.json, measures::mcp_face_json(result).dump(2) + "\n"));
    return measures::report_mcp_face(result, style) ? terminal::kExitOk : terminal::kExitInternal;
  }
  if (options.chat) return chat::run_chat_bench(options, signals, line, style);
  std::optional<profile::ProfileFile> profiles;
  if (profile::asks_for_costs(options)) {
    ASSIGN_OR_RETURN(profiles, profile::open_file(options));
  }
  const auto kind = kind_of(options);
  RETURN_IF_ERROR(kind);
  if (options.floor && *kind == nullptr) {
    const auto measured = measure_with_floors(options, signals, line, style);
    return measured ? finish(*measured, options, slos, style) : fail(measured.error());
  }
  ASSIGN_OR_RETURN(const auto own, own_stack(options, signals, line));
  ASSIGN_OR_RETURN(const auto where, address_of(options.url));
  if (profiles)
    return profile::run_profile(options,
                                {.stack = own->stack(), .where = where, .kind = kind->get()},
                                *profiles, signals, line, style);
  const int gateway = own ? gateway_of(own->stack()) : 0;
  if (options.lifecycle) {
    ASSIGN_OR_RETURN(const auto result, measures::measure_lifecycle(options, where, gateway, line));
    line.clear();
    return measures::report_lifecycle(result, style) ? terminal::kExitOk : terminal::kExitInternal;
  }
  const auto measured = measure_calls(
      options, {.where = where, .kind = kind->get(), .gateway = gateway}, signals, line, style);
  return measured ? finish(*measured, options, slos, style) : fail(measured.error());
}

/// Reads --slo; what this bench does not measure is refused.
Result<std::vector<figures::Threshold>> read_slos(const options::BenchOptions& options) {
  if ((options.chat || !options.face.empty()) && !(options.slo.empty() && options.url.empty()))
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("{} has targets of its own, and needs a stack of its own (no --slo, no --url)",
                    options.chat ? "--chat" : "--face"));
  std::vector<figures::Threshold> slos;
  for (const auto& text : options.slo) {
    ASSIGN_OR_RETURN(auto slo, figures::parse_threshold(text, figures::FigureOf::kBench));
    const bool of_floor = slo.metric.starts_with("floor_") || slo.metric.starts_with("loop_");
    if ((of_floor && !options.floor) || (slo.metric.starts_with("per_") && !options.url.empty()))
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--slo \"{}\" needs {}", text,
                              of_floor ? "--floor" : "a stack of the bench's own (no --url)"));
    if ((slo.metric == "worker_mb") != (options.in_flight != 0) && slo.metric != "errors" &&
        slo.metric != "calls")
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format(
              "--slo \"{}\": --in-flight reports worker_mb, errors and calls, and no other bench reports worker_mb",
              text));
    slos.push_back(std::move(slo));
  }
  return slos;
}

}  // namespace

int run_bench(options::BenchOptions options, const terminal::Style& style) {
  if (auto fit = profile::check_options(options); !fit) return client::report_error(fit.error());
  if (!options.scenario.file.empty() || !options.scenario.suite.empty()) {
    auto scenario = options.scenario;
    scenario.url = options.url;
    scenario.seconds = options.seconds;
    scenario.json = options.json;
    scenario.stack = options.stack;
    return scenario.suite.empty() ? run::run_scenario(scenario, style)
                                  : measures::run_original_suite(scenario, style);
  }
  process::StopSignals signals;
  process::raise_file_limit();
  const auto slos = read_slos(options);
  if (!slos) return client::report_error(slos.error());
  if (options.lifecycle) {
    // What is not given is as large as the targets are.
    if (options.sessions == options::BenchOptions{}.sessions) options.sessions = 100'000;
    if (options.followers == 0) options.followers = 10'000;
  }
  if (options.batch < 1 || options.batch > 100)
    return client::report_error({ErrorCode::kInvalidRequest, "--batch must be 1 to 100", {}});
  if (auto read = read_files(options); !read) return client::report_error(read.error());
  auto status = measure(options, style, *slos, signals);
  return status ? *status : client::report_error(status.error());
}

}  // namespace toolway::cli::bench
