#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "base/ids.h"
#include "cli/bench/floor.h"
#include "cli/bench/in_flight.h"
#include "cli/bench/kinds.h"
#include "cli/bench/latencies.h"
#include "cli/bench/lifecycle.h"
#include "cli/bench/load.h"
#include "cli/bench/memory.h"
#include "cli/bench/original_suite.h"
#include "cli/bench/progress_line.h"
#include "cli/bench/recorded.h"
#include "cli/bench/slo.h"
#include "cli/client/reporting.h"
#include "cli/process/file_limit.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli {
namespace {

struct Percentile {
  const char* name;
  double share;
};
constexpr Percentile kPercentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};

Result<std::vector<std::string>> open_sessions(HttpClient& client, unsigned count,
                                               const ProgressLine& line) {
  const auto run = random_hex(4);
  std::vector<std::string> sessions;
  for (unsigned i = 0; i < count; ++i) {
    sessions.push_back(fmt::format("bench-{}-{}", run, i));
    const OrderedJson body = {{"session_id", sessions.back()}, {"namespaces", {"bench"}}};
    auto answer = client.request("POST", "/v1/sessions", to_text(body));
    if (!answer) return fail(answer.error());
    if (!answer->ok())
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("cannot open a session: HTTP {}: {}", answer->status, answer->body));
    if (sessions.size() % 1000 == 0)
      line(fmt::format("{} of {} sessions open", sessions.size(), count));
  }
  return sessions;
}

/// The result as --json has it.
OrderedJson summarize(const LoadResult& load, Ledger& ledger) {
  Latencies accepted, first_event, completion, recorded;
  std::uint64_t calls = 0;
  std::int64_t first_submit = 0;
  std::int64_t last_record = 0;
  for (const auto& entry : ledger.entries()) {
    if (!entry.measured || entry.completed == 0) continue;
    ++calls;
    accepted.add(entry.accepted - entry.sent);
    first_event.add(entry.first - entry.sent);
    completion.add(entry.completed - entry.sent);
    if (entry.recorded_us == 0) continue;
    recorded.add((entry.recorded_us - entry.submitted_us) * 1000);
    if (first_submit == 0 || entry.submitted_us < first_submit) first_submit = entry.submitted_us;
    last_record = std::max(last_record, entry.recorded_us);
  }
  // A call counts when its client has seen it and Postgres has it, so the slower of the two ends
  // the run.
  const double seconds = std::max(static_cast<double>(load.ended - load.began) / 1e9,
                                  static_cast<double>(last_record - first_submit) / 1e6);
  OrderedJson result = {{"calls", calls},
                        {"errors", load.errors},
                        {"calls_per_s", seconds > 0 ? static_cast<double>(calls) / seconds : 0.0}};
  const std::pair<const char*, Latencies*> stages[] = {{"accepted", &accepted},
                                                       {"first_event", &first_event},
                                                       {"completion", &completion},
                                                       {"recorded", &recorded}};
  for (const auto& [name, latencies] : stages)
    for (const auto& percentile : kPercentiles)
      result[name][std::string(percentile.name) + "_ms"] =
          latencies->percentile_ms(percentile.share);
  return result;
}

void print_memory(const OrderedJson& result, const GatewayMemory& memory, std::size_t sessions,
                  std::size_t followers) {
  fmt::print(
      "\ngateway: {:.1f} KB per session ({}), {:.1f} KB per follower ({}); RSS {} MB at first, {} with "
      "sessions, {} with followers, {} after the calls\n",
      result["memory"]["per_session_kb"].get<double>(), sessions,
      result["memory"]["per_follower_kb"].get<double>(), followers, memory.before / 1024,
      memory.sessions / 1024, memory.followers / 1024, memory.after / 1024);
}

void print_summary(const OrderedJson& result, const LoadResult& load, const Style& style) {
  fmt::print("\n{} calls, {} errors, {} calls/s\n\n", result["calls"].get<std::uint64_t>(),
             result["errors"].get<std::uint64_t>(),
             style(Colour::kBold, fmt::format("{:.0f}", result["calls_per_s"].get<double>())));
  std::vector<std::vector<std::string>> rows;
  for (const char* stage : {"accepted", "first_event", "completion", "recorded"}) {
    std::vector<std::string> row{stage};
    for (const auto& percentile : kPercentiles)
      row.push_back(
          fmt::format("{:.2f}", result[stage][std::string(percentile.name) + "_ms"].get<double>()));
    rows.push_back(std::move(row));
  }
  fmt::print("{}", render_table({"MS", "P50", "P90", "P95", "P99", "P99.9"}, rows));
  if (result.contains("floor"))
    fmt::print("\nfloor: {:.0f} calls/s with neither HTTP nor a tool; ratio {:.2f}\n",
               result["floor"]["calls_per_s"].get<double>(),
               result["floor"]["ratio"].get<double>());
  if (result.contains("bare"))
    fmt::print(
        "\n{}: {:.0f} calls/s, one alone {:.2f} ms (p50); ratio {:.2f}, completion p50 {:+.2f} ms over it\n",
        result["bare"]["what"].get<std::string>(), result["bare"]["calls_per_s"].get<double>(),
        result["bare"]["p50_ms"].get<double>(), result["bare"]["ratio"].get<double>(),
        result["bare"]["over_ms"].get<double>());
  fmt::print("\n{} events seen{}\n", load.events,
             load.errors == 0 ? ", none missing, none twice" : "");
  if (!load.first_error.empty()) fmt::print("\nfirst error: {}\n", load.first_error);
  if (load.reconnects > 0) fmt::print("event streams reconnected: {}\n", load.reconnects);
}

double value_of(const OrderedJson& result, const std::string& metric) {
  if (metric.starts_with("per_"))
    return result.contains("memory") ? result["memory"][metric].get<double>() : 0;
  if (metric == "floor_ratio")
    return result.contains("floor") ? result["floor"]["ratio"].get<double>() : 0;
  const auto dot = metric.find('.');
  if (dot == std::string::npos) return result[metric].get<double>();
  return result[metric.substr(0, dot)][metric.substr(dot + 1) + "_ms"].get<double>();
}

/// Calls go to followed sessions only: each has to be seen by its follower.
std::size_t follower_count(const BenchOptions& options, std::size_t sessions) {
  return std::min<std::size_t>(sessions, options.followers != 0 ? options.followers : 1000);
}

/// Writes the result down, and says whether everything holds.
Result<int> finish(const OrderedJson& result, const BenchOptions& options,
                   const std::vector<Slo>& slos, const Style& style) {
  if (!options.json.empty() && !(std::ofstream(options.json) << result.dump(2) << "\n"))
    return fail(ErrorCode::kInvalidRequest, fmt::format("cannot write {}", options.json));
  bool held = result["errors"] == 0;
  for (const auto& slo : slos) {
    const double value = value_of(result, slo.metric);
    held = held && slo.holds(value);
    fmt::print("{} {} (is {:.3f})\n",
               slo.holds(value) ? style(Colour::kGreen, "holds ") : style(Colour::kRed, "BROKEN"),
               slo.text, value);
  }
  return held ? kExitOk : kExitInternal;
}

Result<int> measure_worker_memory(const BenchOptions& options, const Style& style,
                                  const std::vector<Slo>& slos, StopSignals& signals,
                                  const ProgressLine& line) {
  const auto measured = measure_in_flight(options, signals, line);
  if (!measured) return fail(measured.error());
  line.clear();
  const auto mb = [](std::int64_t kb) { return static_cast<double>(kb) / 1024; };
  fmt::print(
      "{} HTTP calls in flight in one worker after {:.2f} s: RSS {:.1f} MB; {:.1f} MB before, {:.1f} MB after\n",
      measured->calls, measured->begun_s, mb(measured->with_kb), mb(measured->before_kb),
      mb(measured->after_kb));
  return finish({{"calls", measured->calls},
                 {"errors", 0},
                 {"worker_mb", mb(measured->with_kb)},
                 {"worker_before_mb", mb(measured->before_kb)},
                 {"worker_after_mb", mb(measured->after_kb)}},
                options, slos, style);
}

/// The kind of `--kind`, whose tool and settings `options` get; null: native.
Result<std::unique_ptr<KindUnderTest>> kind_of(BenchOptions& options) {
  if (options.kind == "native") return nullptr;
  if (!options.url.empty())
    return fail(ErrorCode::kInvalidRequest,
                "--kind brings its own tool, so it needs a stack of its own (no --url)");
  auto kind = KindUnderTest::create(options.kind);
  if (!kind) return kind;
  (*kind)->add_to(options.stack);
  options.call = (*kind)->call();
  if (options.concurrency == 0) options.concurrency = (*kind)->concurrency();
  return kind;
}

/// A stack for this run, which `options` then name; null: they name one already.
Result<std::unique_ptr<OwnStack>> own_stack(BenchOptions& options, StopSignals& signals,
                                            const ProgressLine& line) {
  if (!options.url.empty()) return nullptr;
  line("starting a stack for this run");
  auto own = OwnStack::start(options.stack, signals);
  if (!own) return own;
  options.url = (*own)->stack().url();
  options.nats = (*own)->stack().nats_url();
  return own;
}

/// Measures what the calls of `result` cannot be faster than: the messages alone, or the mechanism
/// of the kind.
Result<void> add_floor(OrderedJson& result, const BenchOptions& options, const KindUnderTest* kind,
                       const ProgressLine& line) {
  if (kind != nullptr) {
    line("measuring the bare mechanism");
    auto bare = kind->measure_bare();
    if (!bare) return fail(bare.error());
    result["bare"] = {
        {"what", bare->what},
        {"calls_per_s", bare->calls_per_s},
        {"p50_ms", bare->p50_ms},
        {"ratio",
         bare->calls_per_s > 0 ? result["calls_per_s"].get<double>() / bare->calls_per_s : 0.0},
        {"over_ms", result["completion"]["p50_ms"].get<double>() - bare->p50_ms}};
  } else {
    auto floor = measure_floor({.nats = options.nats,
                                .sessions = options.sessions,
                                .payload = options.payload,
                                .two_events = options.progress > 0},
                               line);
    if (!floor) return fail(floor.error());
    result["floor"] = {
        {"calls_per_s", floor->calls_per_s},
        {"ratio",
         floor->calls_per_s > 0 ? result["calls_per_s"].get<double>() / floor->calls_per_s : 0.0}};
  }
  return {};
}

/// Each completed call without a row is an error of the load.
Result<void> count_unrecorded(HttpClient& client, const std::vector<std::string>& sessions,
                              Ledger& ledger, LoadResult& load, const ProgressLine& line) {
  const auto missing = read_recorded(client, sessions, ledger, line);
  if (!missing) return fail(missing.error());
  if (*missing == 0) return {};
  load.errors += *missing;
  if (load.first_error.empty())
    load.first_error = fmt::format("{} calls have no row in Postgres", *missing);
  return {};
}

Result<int> measure(BenchOptions& options, const Style& style, const std::vector<Slo>& slos,
                    StopSignals& signals) {
  const ProgressLine line;
  if (options.in_flight != 0) return measure_worker_memory(options, style, slos, signals, line);
  const auto found = kind_of(options);
  if (!found) return fail(found.error());
  const KindUnderTest* kind = found->get();
  const auto started = own_stack(options, signals, line);
  if (!started) return fail(started.error());
  OwnStack* own = started->get();
  if (options.floor && options.nats.empty())
    return fail(ErrorCode::kInvalidRequest,
                "--floor with --url also needs --nats: its messages go to the same servers");
  auto where = parse_host_port(
      options.url.substr(std::min(options.url.size(), std::string_view("http://").size())));
  if (!where) return fail(where.error());
  auto client = HttpClient::create({.url = options.url, .user = options.user});
  if (!client) return fail(client.error());
  // Memory is reported only for a gateway that was started for this.
  const int gateway = own ? own->stack().description()["pids"]["gateway"][0].get<int>() : 0;
  if (options.lifecycle) {
    const auto result = measure_lifecycle(options, *where, gateway, line);
    if (!result) return fail(result.error());
    line.clear();
    return report_lifecycle(*result, style) ? kExitOk : kExitInternal;
  }
  GatewayMemory memory{.before = resident_kb(gateway)};
  const auto sessions = open_sessions(**client, std::max(1U, options.sessions), line);
  if (!sessions) return fail(sessions.error());
  memory.sessions = resident_kb(gateway);
  const auto followed = std::vector<std::string>(
      sessions->begin(),
      sessions->begin() + static_cast<std::ptrdiff_t>(follower_count(options, sessions->size())));
  Ledger ledger;
  ledger.reserve(1 << 20);
  auto load = run_load(options, *where, followed, ledger, signals, line,
                       [&] { memory.followers = resident_kb(gateway); });
  memory.after = resident_kb(gateway);
  if (!load) return fail(load.error());
  if (load->interrupted) {
    if (!load->first_error.empty()) fmt::print(stderr, "\n{}\n", load->first_error);
    return fail(ErrorCode::kShuttingDown, "interrupted");
  }
  if (auto compared = count_unrecorded(**client, followed, ledger, *load, line); !compared)
    return fail(compared.error());
  auto result = summarize(*load, ledger);
  if (options.floor) {
    if (auto added = add_floor(result, options, kind, line); !added) return fail(added.error());
  }
  if (own)
    result["memory"] = {{"per_session_kb", memory.per_session_kb(sessions->size())},
                        {"per_follower_kb", memory.per_follower_kb(followed.size())}};
  line.clear();
  print_summary(result, *load, style);
  // With few sessions this would only measure the size of a page.
  if (own && sessions->size() >= 100)
    print_memory(result, memory, sessions->size(), followed.size());
  return finish(result, options, slos, style);
}

}  // namespace

int run_bench(BenchOptions options, const Style& style) {
  if (!options.scenario.file.empty() || !options.scenario.suite.empty()) {
    auto scenario = options.scenario;
    scenario.url = options.url;
    scenario.seconds = options.seconds;
    scenario.json = options.json;
    scenario.stack = options.stack;
    return scenario.suite.empty() ? run_scenario(scenario, style)
                                  : run_original_suite(scenario, style);
  }
  StopSignals signals;
  raise_file_limit();
  std::vector<Slo> slos;
  for (const auto& text : options.slo) {
    auto slo = parse_slo(text);
    if (!slo) return report_error(slo.error());
    if ((slo->metric == "floor_ratio" && !options.floor) ||
        (slo->metric.starts_with("per_") && !options.url.empty()))
      return report_error(
          {ErrorCode::kInvalidRequest,
           fmt::format(
               "--slo \"{}\" needs {}", text,
               slo->metric == "floor_ratio" ? "--floor" : "a stack of the bench's own (no --url)"),
           {}});
    if ((slo->metric == "worker_mb") != (options.in_flight != 0) && slo->metric != "errors" &&
        slo->metric != "calls")
      return report_error(
          {ErrorCode::kInvalidRequest,
           fmt::format(
               "--slo \"{}\": --in-flight reports worker_mb, errors and calls, and no other bench reports worker_mb",
               text),
           {}});
    slos.push_back(std::move(*slo));
  }
  if (options.lifecycle) {
    // What is not given is as large as the targets are.
    if (options.sessions == BenchOptions{}.sessions) options.sessions = 100'000;
    if (options.followers == 0) options.followers = 10'000;
  }
  if (options.batch < 1 || options.batch > 100)
    return report_error({ErrorCode::kInvalidRequest, "--batch must be 1 to 100", {}});
  auto status = measure(options, style, slos, signals);
  return status ? *status : report_error(status.error());
}

}  // namespace toolway::cli
