#include "tests/chaos/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/chaos/approver.h"
#include "tests/chaos/check_conversations.h"
#include "tests/chaos/check_processes.h"
#include "tests/chaos/checker.h"
#include "tests/chaos/conversation_reader.h"
#include "tests/chaos/final_reader.h"
#include "tests/chaos/fleet.h"
#include "tests/chaos/mcp_checker.h"
#include "tests/chaos/mcp_view.h"
#include "tests/chaos/nemesis.h"
#include "tests/chaos/operator.h"
#include "tests/chaos/report.h"
#include "tests/chaos/workload.h"

namespace toolway::chaos {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr unsigned kJudges = 4;

double seconds_since(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

void say(const std::string& text) {
  fmt::print(stderr, "• {}\n", text);
  std::fflush(stderr);
}

class Campaign {
 public:
  Campaign(const Options& options, cli::process::StopSignals& signals)
      : options_(options),
        signals_(signals),
        history_(options.directory + "/history.jsonl"),
        random_(options.seed) {}

  Result<int> run() {
    say(fmt::format("seed {}; everything is in {}", options_.seed, options_.directory));
    auto fleet = Fleet::start(options_, options_.directory, history_);
    if (!fleet) return fail(fleet.error());
    fleet_ = std::move(*fleet);
    auto bus = BusFaults::connect(fleet_->nats_url());
    if (!bus) return fail(bus.error());
    bus_ = std::move(*bus);
    auto database = Database::connect(fleet_->postgres().url());
    if (!database) return fail(database.error());
    database_ = std::move(*database);
    if (auto stormed = storm(); !stormed) return fail(stormed.error());
    if (auto back = bring_back(); !back) return fail(back.error());
    if (auto quiet = wait_for_quiet(); !quiet) return fail(quiet.error());
    if (options_.converses()) {
      say("each conversation gets one more message");
      workload_->say_last();
      if (auto quiet = wait_for_quiet(); !quiet) return fail(quiet.error());
    }
    workload_->stop();
    if (auto judged = judge(); !judged) return fail(judged.error());
    return report();
  }

 private:
  Result<void> storm() {
    workload_.emplace(options_, fleet_->entrance(), book_, history_);
    if (options_.with("operator")) operator_.emplace(options_, *fleet_, book_, history_);
    nemesis_.emplace(options_, *fleet_, *bus_, history_);
    say(fmt::format("{} gateways, {} workers, {} collectors; {} agents make {} calls/s; {} talkers",
                    options_.gateways, options_.workers, options_.collectors, options_.agents,
                    options_.rate, options_.converses() ? options_.talkers : 0));
    const auto start = Steady::now();
    auto next_sample = start;
    auto next_word = start + seconds(30);
    for (;;) {
      const auto now = Steady::now();
      if (seconds_since(start) >= options_.minutes * 60) break;
      if (options_.calls != 0 && history_.accepted() >= options_.calls) break;
      nemesis_->act(now);
      fleet_->tend();
      if (now >= next_sample) {
        bus_->sample();
        next_sample = now + seconds(2);
      }
      if (now >= next_word) {
        say(fmt::format("{:.0f} s: {} calls accepted, {} kills, {} freezes", seconds_since(start),
                        history_.accepted(), nemesis_->deeds().kills(),
                        nemesis_->deeds().freezes()));
        next_word = now + seconds(30);
      }
      if (signals_.wait(milliseconds(20)))
        return fail(ErrorCode::kShuttingDown, "stopped by a signal; nothing is judged");
    }
    storm_seconds_ = seconds_since(start);
    workload_->end_calls();
    if (operator_) operator_->stop();
    return {};
  }

  Result<void> bring_back() {
    say("the storm has ended; every process comes back");
    const auto start = Steady::now();
    if (auto mended = nemesis_->end(); !mended) return mended;
    auto settled = fleet_->settle(seconds(90));
    quiet_seconds_ = seconds_since(start);
    return settled;
  }

  Result<void> wait_for_quiet() {
    const auto start = Steady::now();
    auto next_word = start + seconds(10);
    for (;;) {
      fleet_->tend();
      approve_the_rest(fleet_->entrance());
      answer_questions();
      const auto left = pending();
      if (left.empty()) break;
      if (seconds_since(start) > options_.quiet) {
        say(fmt::format("still pending after {} s: {}", options_.quiet, left));
        break;
      }
      if (Steady::now() > next_word) {
        say("pending: " + left);
        next_word += seconds(10);
      }
      if (signals_.wait(milliseconds(300)))
        return fail(ErrorCode::kShuttingDown, "stopped by a signal; nothing is judged");
    }
    quiet_seconds_ += seconds_since(start);
    return {};
  }

  /// What the agents have left open: nothing else would end it.
  void answer_questions() {
    const auto asking = database_->asking();
    if (asking) answer_the_rest(*asking, fleet_->entrance(), random_, history_);
  }

  /// In words; empty: nothing.
  std::string pending() {
    const auto incomplete = database_->incomplete();
    const auto recorded = database_->calls_recorded();
    const auto calls = bus_->unrecorded("CALLS");
    const auto events = bus_->unrecorded("EVENTS");
    const auto audit = bus_->unrecorded("AUDIT");
    const auto keys = bus_->unrecorded("KV_api_keys");
    const auto unsealed = database_->unsealed();
    if (!incomplete || !recorded || !calls || !events || !audit || !keys || !unsealed)
      return "a server does not answer";
    const bool recorded_all = *calls == 0 && *events == 0 && *audit == 0 && *keys == 0;
    if (*incomplete == 0 && recorded_all && *unsealed == 0) return {};
    if (*incomplete == 0 && recorded_all)
      return fmt::format("{} records are not sealed", *unsealed);
    return fmt::format(
        "{} of {} recorded calls have no completion; {} requests and {} events are not recorded",
        *incomplete, *recorded, *calls, *events);
  }

  Result<void> judge() {
    say("judging");
    auto calls = database_->calls();
    if (!calls) return fail(calls.error());
    const auto traces = read_traces(options_.directory + "/effects.log");
    const Everything all{history_.recorded().posts, *calls, traces};
    check_requests(all, verdicts_);
    check_traces(all, verdicts_);
    judge_control(traces);
    check_crowd(read_traces(options_.directory + "/crowd.log"), *calls, verdicts_);
    check_looks(history_.recorded().looks, *calls, verdicts_);
    const auto questions = database_->questions();
    if (!questions) return fail(questions.error());
    const auto told = read_told(options_.directory + "/answers.log");
    const auto& seen = history_.recorded();
    check_questions({*questions, told, seen.answers, seen.rpcs, seen.tasks}, verdicts_);
    if (auto audited = judge_audit(*calls); !audited) return audited;
    for (const auto& call : *calls)
      ++outcomes_[call.outcome.empty() ? "without completion" : call.outcome];
    if (auto sessions = judge_sessions(*calls); !sessions) return sessions;
    if (auto talked = judge_conversations(*calls); !talked) return talked;
    judge_processes();
    return {};
  }

  /// What an operator changed while clients called.
  void judge_control(const std::vector<Trace>& traces) {
    const auto& seen = history_.recorded();
    check_refused_traces(seen.posts, traces, verdicts_);
    check_keys(book_.all(), seen.key_uses, fleet_->outages(), verdicts_);
    if (operator_)
      check_policies(operator_->deeds().puts, seen.posts, fleet_->outages(), verdicts_);
  }

  Result<void> judge_conversations(const std::vector<CallRow>& calls) {
    if (!options_.converses()) return {};
    auto turns = database_->turns();
    if (!turns) return fail(turns.error());
    auto conversations = read_conversations(*database_, fleet_->entrance(), history_);
    if (!conversations) return fail(conversations.error());
    const auto& seen = history_.recorded();
    check_conversations({*conversations, *turns, calls, seen.posts, seen.looks, seen.message_pages,
                         workload_->talks()},
                        verdicts_);
    check_taken_over(broken_turns_, *turns, verdicts_);
    check_requests_to_model(fleet_->model()->refused(), fleet_->model()->mixed(), verdicts_);
    talk_ = figures_of(*turns, *conversations);
    talk_.requests = fleet_->model()->requests();
    return {};
  }

  Result<void> judge_audit(const std::vector<CallRow>& calls) {
    const auto decided = database_->decided();
    if (!decided) return fail(decided.error());
    const auto unsealed = database_->unsealed();
    if (!unsealed) return fail(unsealed.error());
    const auto verified = fleet_->verb("audit", {"verify", "--seal-keys", fleet_->seal_keys()});
    const OperatorDeeds none;
    const auto& deeds = operator_ ? operator_->deeds() : none;
    check_audit({*decided, calls, deeds, verified, *unsealed}, verdicts_);
    return {};
  }

  /// What clients saw, by session.
  struct SeenOfSession {
    std::vector<const Stretch*> stretches;
    std::vector<const MailPage*> pages;
    McpSeen mcp;
  };
  std::map<std::string, SeenOfSession> seen_by_session() const {
    std::map<std::string, SeenOfSession> seen;
    const auto& recorded = history_.recorded();
    for (const auto& stretch : recorded.stretches)
      seen[stretch.session].stretches.push_back(&stretch);
    for (const auto& page : recorded.pages) seen[page.session].pages.push_back(&page);
    for (const auto& stretch : recorded.rpcs)
      seen[stretch.session].mcp.stretches.push_back(&stretch);
    for (const auto& look : recorded.tasks) seen[look.session].mcp.looks.push_back(&look);
    return seen;
  }

  /// A session as every gateway shows it, over REST and over MCP.
  SessionEnd read_session(const Watched& session, const std::vector<CallRow>& calls,
                          std::vector<TaskLook>& looks) {
    SessionEnd end{.user = session.user, .session = session.session, .calls = calls};
    const auto mailbox = options_.with("mailbox") ? Mailbox::kRead : Mailbox::kLeft;
    const auto& entrance = fleet_->entrance();
    const auto& gateways = entrance.gateways;
    for (std::size_t i = 0; i < gateways.size(); ++i) {
      end.views.push_back(view_of({entrance, gateways[i]}, session, mailbox, history_));
      if (!workload_->speaks_mcp(session)) continue;
      auto more =
          mcp_view_of({entrance, gateways[i]}, session, calls, {i, gateways.size()}, history_);
      std::ranges::move(more, std::back_inserter(looks));
    }
    return end;
  }

  Result<void> judge_sessions(const std::vector<CallRow>& calls) {
    auto seen = seen_by_session();
    std::map<std::string, std::vector<CallRow>> rows;
    for (const auto& call : calls) rows[call.session].push_back(call);
    const auto sessions = workload_->sessions();
    // Reading takes long, and gateways can serve several readers; the lock guards what is shared.
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    std::vector<Broken> broken;
    LastSeen workers_seen;
    Result<void> failed;
    const auto judge_next = [&] {
      for (std::size_t i = next++; i < sessions.size(); i = next++) {
        std::unique_lock lock(mutex);
        const auto of_session = rows[sessions[i].session];
        lock.unlock();
        std::vector<TaskLook> looks;
        auto end = read_session(sessions[i], of_session, looks);
        lock.lock();
        auto events = database_->events(sessions[i]);
        if (!events)
          failed = fail(events.error());
        else
          end.events = std::move(*events);
        events_ += end.events.size();
        auto& saw = seen[end.session];
        saw.mcp.at_the_end = std::move(looks);
        check_session(end, saw.stretches, saw.pages, verdicts_);
        check_mcp_session(end, saw.mcp, verdicts_);
        for (auto& attempt : broken_attempts(end.views.front().page))
          (attempt.tool == "turn" ? broken_turns_ : broken).push_back(std::move(attempt));
        see_workers(end.views.front().page, workers_seen);
      }
    };
    {
      std::vector<std::jthread> judges;
      for (unsigned i = 0; i < kJudges; ++i) judges.emplace_back(judge_next);
    }
    if (!failed) return failed;
    recovery_us_ = recovery_times(broken, workers_seen, nemesis_->deeds().worker_kills_us);
    turn_recovery_us_ =
        recovery_times(broken_turns_, workers_seen, nemesis_->deeds().chat_kills_us);
    return {};
  }

  void judge_processes() {
    const auto& seen = history_.recorded();
    check_processes({.deepest = bus_->deepest(),
                     .members = fleet_->members().size(),
                     .ends = fleet_->unexpected_ends(),
                     .dead_events = database_->dead_events().value_or(0),
                     .answers = seen.posts.size() + seen.looks.size(),
                     .odd = history_.odd_answers()},
                    verdicts_);
  }

  Result<int> report() {
    Summary summary{.options = options_,
                    .verdicts = verdicts_,
                    .deeds = nemesis_->deeds(),
                    .ends = fleet_->unexpected_ends()};
    count_requests(history_.recorded(), summary);
    summary.outcomes = outcomes_;
    summary.odd = history_.odd_answers();
    summary.recovery_us = recovery_us_;
    summary.turn_recovery_us = turn_recovery_us_;
    summary.talk = talk_;
    summary.storm_seconds = storm_seconds_;
    summary.quiet_seconds = quiet_seconds_;
    summary.events = events_;
    summary.server_restarts = fleet_->server_restarts();
    summary.deepest = bus_->deepest();
    summary.directory = options_.directory;
    auto text = report_text(summary);
    history_.note("end", "judged");
    if (!verdicts_.clean()) text += violations_text(verdicts_, options_);
    std::ofstream(options_.directory + "/report.md") << text;
    fmt::print("{}", text);
    return verdicts_.clean() ? 0 : 1;
  }

  const Options& options_;
  cli::process::StopSignals& signals_;
  History history_;
  Randomness random_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<BusFaults> bus_;
  std::unique_ptr<Database> database_;
  KeyBook book_;
  std::optional<Workload> workload_;  // after the fleet, whose gateways it asks
  std::optional<Nemesis> nemesis_;
  std::optional<Operator> operator_;  // after the fleet, whose verbs it runs
  Verdicts verdicts_;
  std::map<std::string, std::uint64_t> outcomes_;
  std::vector<std::int64_t> recovery_us_;
  std::vector<Broken> broken_turns_;
  std::vector<std::int64_t> turn_recovery_us_;
  TalkFigures talk_;
  std::uint64_t events_ = 0;
  double storm_seconds_ = 0;
  double quiet_seconds_ = 0;
};

}  // namespace

Result<int> run_campaign(Options options, cli::process::StopSignals& signals) {
  namespace fs = std::filesystem;
  if (options.seed == 0) options.seed = static_cast<std::uint64_t>(now_us()) % 1000000;
  if (options.directory.empty())
    options.directory = (fs::temp_directory_path() /
                         fmt::format("toolway-chaos-{}-{}", options.seed, now_us() / 1000000))
                            .string();
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot create {}: {}", options.directory, error.message()));
  Result<int> status = 1;
  {
    Campaign campaign(options, signals);
    status = campaign.run();
  }
  if (status && *status == 0 && !options.keep) fs::remove_all(options.directory, error);
  return status;
}

}  // namespace toolway::chaos
