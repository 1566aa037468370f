#include "cli/bench/profile/run_profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/bench/profile/cost_picture.h"
#include "cli/bench/profile/measurement.h"
#include "cli/bench/results/machine.h"
#include "cli/bench/results/run_facts.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::bench::profile {
namespace {

constexpr double kRate = 1000;            // calls/s
constexpr double kSeconds = 5;            // of a round
constexpr unsigned kMaxRoundsFactor = 3;  // times the rounds, for --check to find a good one

Pids pids_of(const stack::Stack& stack) {
  Pids pids{{kClient, {getpid()}}};
  const auto description = stack.description();
  for (const auto& [role, of_role] : description["pids"].items())
    pids[role] = of_role.get<std::vector<int>>();
  return pids;
}

/// What must be the same of two results that are compared.
OrderedJson options_json(const options::BenchOptions& options) {
  auto stack = results::stack_facts(options.stack);
  stack["gateways"] = options.stack.gateways;
  stack["workers"] = options.stack.workers;
  stack["collectors"] = options.stack.collectors;
  stack["pools"] = options.stack.pools;
  return {{"kind", options.kind},
          {"rate", options.rate.value_or(0)},
          {"concurrency", options.concurrency},
          {"calls", options.calls},
          {"seconds", options.seconds},
          {"rounds", options.rounds},
          {"warm_up", options.warm_up},
          {"sessions", options.sessions},
          {"followers", options.followers},
          {"batch", options.batch},
          {"payload", options.payload},
          {"progress", options.progress},
          {"stack", std::move(stack)}};
}

/// With what is not said.
void complete(options::BenchOptions& options) {
  if (!options.rate) options.rate = kRate;
  if (options.seconds == 0 && options.calls == 0) options.seconds = kSeconds;
}

/// The facts before the run, and what was measured.
Result<KeptProfile> kept_of(OrderedJson facts, const Measurement& measured, const Costs& costs) {
  const auto& best = best_of(measured.rounds());
  auto& figures = facts["figures"];
  for (const char* name :
       {"calls", "calls_per_s", "p50", "p99", "accepted.p50", "accepted.p99", "others"})
    figures[name] = best.figures.at(name);
  for (const auto& round : measured.rounds())
    facts["rounds"].push_back(
        {{"us", cost_of_ours(round.costs).cpu_us()}, {"others", round.figures.at("others")}});
  facts["per_call"] = to_json(costs);
  return profile_from(std::move(facts));
}

void print_costs(const KeptProfile& kept) {
  const auto figure = [&](const char* name) { return kept.json["figures"][name].get<double>(); };
  std::string rounds;
  for (const auto& round : kept.json["rounds"])
    rounds += fmt::format("{}{:.0f} us ({:.0f} %)", rounds.empty() ? "" : ", ",
                          round["us"].get<double>(), round["others"].get<double>());
  fmt::print("\nCPU per call of Toolway's three in each round (and what other programs took): {}\n",
             rounds);
  fmt::print(
      "the round that counts: {:.0f} calls, {:.0f} calls/s, completion p50 {:.2f} ms, p99 {:.2f} ms\n",
      figure("calls"), figure("calls_per_s"), figure("p50"), figure("p99"));
  if (figure("others") > kQuiet)
    fmt::print(
        "other programs took more than {:.0f} % of the CPU in every round: measure again when this "
        "machine has less to do\n",
        kQuiet);
  fmt::print("\n{}", cost_table(kept.costs));
}

void print_seen(const Seen& seen) {
  if (!seen.missing.empty()) fmt::print("\n");
  for (const auto& text : seen.missing) fmt::print("{}\n", text);
  for (const auto& role : kRoles) {
    const auto found = seen.stacks.find(role.name);
    if (found == seen.stacks.end()) continue;
    const auto& stacks = found->second;
    fmt::print("\n{}, {} samples, innermost first:\n", role.shown, stacks.samples);
    for (const auto& stack : stacks.heaviest)
      fmt::print("{:6.1f} %  {}\n", 100 * stack.share, stack.frames);
  }
}

/// A directory that is gone with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    if (auto made = os::make_temporary_directory("toolway-perf")) path_ = *std::move(made);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Result<void> keep(const ProfileFile& file, const OrderedJson& json) {
  RETURN_IF_ERROR(file.append(json));
  if (!file.path().empty()) fmt::print("\nkept: {}\n", file.path());
  return {};
}

/// What --json and --svg name.
Result<void> write_files(const options::BenchOptions& options, const KeptProfile& kept) {
  RETURN_IF_ERROR(results::write_text(options.json, kept.json.dump(2) + "\n"));
  return results::write_text(options.scenario.svg, cost_picture(kept));
}

/// Of --profile: what perf sees as well, and the comparison with the result before.
Result<int> report_profile(const options::BenchOptions& options, Measurement& measured,
                           const OrderedJson& facts, const KeptProfile* before,
                           const ProfileFile& file, const terminal::ProgressLine& line) {
  const TemporaryDirectory directory;
  ASSIGN_OR_RETURN(const auto seen, measured.look_with_perf(directory.path()));
  line.clear();
  auto costs = best_of(measured.rounds()).costs;
  for (const auto& [role, calls] : seen.system_calls) costs[role].system_calls = calls;
  ASSIGN_OR_RETURN(const auto kept, kept_of(facts, measured, costs));
  print_costs(kept);
  print_seen(seen);
  if (before != nullptr) fmt::print("\n{}", compare_profiles(*before, kept));
  RETURN_IF_ERROR(write_files(options, kept));
  RETURN_IF_ERROR(keep(file, kept.json));
  return terminal::kExitOk;
}

/// Of --check. What is stored stays what later checks compare with, or a cost could creep up by
/// 5 % each time.
Result<int> report_check(const options::BenchOptions& options, Measurement& measured,
                         const OrderedJson& facts, const KeptProfile* before,
                         const ProfileFile& file, const terminal::ProgressLine& line,
                         const terminal::Style& style) {
  const auto kept_now = [&] { return kept_of(facts, measured, best_of(measured.rounds()).costs); };
  auto kept = kept_now();
  const auto settled = [&] {
    return is_quiet(best_of(measured.rounds())) &&
           (before == nullptr || judge_cost(*before, *kept).holds);
  };
  while (kept && !settled() &&
         measured.rounds().size() < std::size_t{kMaxRoundsFactor} * options.rounds) {
    RETURN_IF_ERROR(measured.measure_round());
    kept = kept_now();
  }
  RETURN_IF_ERROR(kept);
  line.clear();
  print_costs(*kept);
  RETURN_IF_ERROR(write_files(options, *kept));
  if (before == nullptr) {
    fmt::print(
        "\nno result of these options and this machine was stored: this one is what the next "
        "--check compares with\n");
    RETURN_IF_ERROR(keep(file, kept->json));
    return terminal::kExitOk;
  }
  const auto verdict = judge_cost(*before, *kept);
  fmt::print("\n{}\n{} {}\n", compare_profiles(*before, *kept),
             verdict.holds ? style(terminal::Colour::kGreen, "holds ")
                           : style(terminal::Colour::kRed, "BROKEN"),
             verdict.words);
  if (!verdict.holds)
    fmt::print(
        "if this cost is intended, `toolway bench --profile` with the same options stores it\n");
  return verdict.holds ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace

bool asks_for_costs(const options::BenchOptions& options) {
  return options.profile || options.scenario.check;
}

Result<void> check_options(const options::BenchOptions& options) {
  const auto& scenario = options.scenario;
  const auto refuse = [](std::string words) {
    return fail(ErrorCode::kInvalidRequest, std::move(words));
  };
  if (!scenario.file.empty() && !options.profile) return {};
  if (!asks_for_costs(options)) {
    if (scenario.store && scenario.suite.empty())
      return refuse(
          "--store keeps the results of --profile, --check, --scenario and --suite: add one");
    return {};
  }
  if (options.profile && scenario.check)
    return refuse("--profile and --check measure the same: leave one of them out");
  const std::string asked = options.profile ? "--profile" : "--check";
  struct Other {
    const char* name;
    bool given;
  };
  const Other others[] = {{"--scenario", !scenario.file.empty()},
                          {"--suite", !scenario.suite.empty()},
                          {"--floor", options.floor},
                          {"--slo", !options.slo.empty()},
                          {"--in-flight", options.in_flight != 0},
                          {"--lifecycle", options.lifecycle},
                          {"--face", !options.face.empty()},
                          {"--chat", options.chat}};
  for (const auto& other : others)
    if (other.given)
      return refuse(
          fmt::format("{} says what calls cost, and {} measures something else: leave one of "
                      "them out",
                      asked, other.name));
  if (!options.url.empty())
    return refuse(asked + " looks at processes, so it needs a stack of its own (no --url)");
  if (scenario.check && scenario.store && scenario.store->empty())
    return refuse("--check compares with a stored result, so --store needs a file");
  return {};
}

Result<ProfileFile> open_file(const options::BenchOptions& options) {
  return ProfileFile::open(options.scenario.store.value_or(options::kProfileStore));
}

Result<int> run_profile(options::BenchOptions options, const ProfileTarget& target,
                        const ProfileFile& file, process::StopSignals& signals,
                        const terminal::ProgressLine& line, const terminal::Style& style) {
  complete(options);
  const auto pids = pids_of(target.stack);
  auto facts = results::facts_before_run(options_json(options));
  for (const char* server : {"nats", "postgres"})
    facts["servers"][server] = results::version_of(pids.at(server).front());
  const auto* before = last_like(file.profiles(), facts["options"], facts["machine"]);
  Measurement measured(
      options, {.gateways = {target.where}, .run = {}},
      {.kind_call = [&](const std::string&) { return target.kind->call(); }, .progress = line},
      pids, signals);
  RETURN_IF_ERROR(measured.warm_up());
  for (unsigned round = 0; round < options.rounds; ++round)
    RETURN_IF_ERROR(measured.measure_round());
  return options.profile ? report_profile(options, measured, facts, before, file, line)
                         : report_check(options, measured, facts, before, file, line, style);
}

}  // namespace toolway::cli::bench::profile
