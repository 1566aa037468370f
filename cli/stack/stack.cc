#include "cli/stack/stack.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <list>

#include "base/os/file_io.h"
#include "base/os/seal_key_file.h"
#include "base/reserved_names.h"
#include "base/try.h"
#include "cli/process/host_port.h"
#include "cli/process/pools.h"
#include "cli/stack/arguments.h"
#include "cli/stack/directory_lock.h"
#include "cli/stack/fleet_process.h"
#include "cli/stack/server_guard.h"
#include "local/leftover.h"
#include "local/nats_server.h"
#include "local/postgres_cluster.h"
#include "local/tcp.h"
#include "proto/subjects.h"

namespace toolway::cli::stack {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

class LocalStack final : public Stack {
 public:
  explicit LocalStack(StackOptions options) : options_(std::move(options)) {}

  ~LocalStack() override {
    kill_fleet();
    if (postgres_) forget_run_files(data_.string());
  }

  Result<void> bring_up(process::StopSignals& signals) {
    RETURN_IF_ERROR(prepare());
    options_.progress(fs::exists(data_ / "postgres")
                          ? "starting NATS and Postgres"
                          : "making a database in " + data_.string() + ", the first time only");
    RETURN_IF_ERROR(start_servers());
    if (signals.wait(milliseconds(0))) return interrupted();
    options_.progress("bringing schema and streams up to date");
    RETURN_IF_ERROR(migrate(signals));
    RETURN_IF_ERROR(options_.before_fleet(nats_->url()));
    options_.progress("starting gateways, workers and collectors");
    RETURN_IF_ERROR(write_operator_token(data_.string()));
    RETURN_IF_ERROR(os::ensure_seal_keys(seal_keys_file(data_.string())));
    RETURN_IF_ERROR(os::ensure_seal_keys(token_keys_file(data_.string())));
    plan_all("gateway", options_.gateways);
    plan_all("worker", options_.workers);
    plan_all("collector", options_.collectors);
    plan_all("chat", options_.chat ? 1 : 0);
    workers_made_ = options_.workers;
    for (auto& process : fleet_) RETURN_IF_ERROR(process.start(Steady::now()));
    RETURN_IF_ERROR(wait_until_ready(signals));
    return write_http_urls(data_.string(),
                           description()["http_all"].get<std::vector<std::string>>());
  }

  bool supervise() override {
    const auto now = Steady::now();
    bool changed = servers_.supervise(now, options_.report);
    // A process that ended for lack of a server need not wait any longer.
    if (changed)
      for (auto* process : waiting_) process->start_again_at = now;
    for (auto& process : fleet_) {
      const auto status = process.died();
      if (!status || process.after_end() == AfterEnd::kGone) continue;
      if (process.after_end() == AfterEnd::kStartAtOnce)
        process.start_again_at = now;
      else
        start_later(process, now, fmt::format("ended with status {}", *status));
      waiting_.push_back(&process);
    }
    changed =
        std::erase_if(fleet_, [](const FleetProcess& process) { return process.gone(); }) > 0 ||
        changed;
    std::erase_if(waiting_, [&](FleetProcess* process) {
      if (process->start_again_at > now) return false;
      auto started = process->start(now);
      if (!started) start_later(*process, now, "cannot be started: " + started.error().message);
      return started.has_value();
    });
    for (auto& process : fleet_) {
      if (process.ready() || !process.check_ready()) continue;
      options_.report(fmt::format("{} is back, pid {}", process.plan().name, process.pid()));
      changed = true;
    }
    return changed;
  }

  bool whole() const override {
    return std::all_of(fleet_.begin(), fleet_.end(),
                       [](const FleetProcess& process) { return process.ready(); }) &&
           servers_.up();
  }

  void restart(const std::string& role, unsigned index) override {
    if (role == "nats") return nats_->stop(SIGTERM);  // supervise sees it, and starts it again
    if (role == "postgres") return postgres_->stop(SIGINT);
    for (auto& process : fleet_)
      if (process.plan().role == role && index-- == 0)
        return process.end_gently(AfterEnd::kStartAtOnce);
  }

  Result<void> scale_workers(unsigned count) override {
    const auto is_worker = [](const FleetProcess& process) {
      return process.plan().role == "worker" && process.after_end() != AfterEnd::kGone;
    };
    auto there = static_cast<unsigned>(std::count_if(fleet_.begin(), fleet_.end(), is_worker));
    for (auto process = fleet_.rbegin(); process != fleet_.rend() && there > count; ++process) {
      if (!is_worker(*process)) continue;
      process->end_gently(AfterEnd::kGone);
      --there;
    }
    for (; there < count; ++there) {
      plan("worker", workers_made_++);
      RETURN_IF_ERROR(fleet_.back().start(Steady::now()));
    }
    return {};
  }

  OrderedJson description() const override {
    OrderedJson metrics;
    OrderedJson pids;
    OrderedJson all = OrderedJson::array();
    for (const char* role : {"gateway", "worker", "collector", "chat"}) {
      if (role == std::string_view("chat") && !options_.chat) continue;
      metrics[role] = OrderedJson::array();
      pids[role] = OrderedJson::array();
      for (const auto& process : fleet_) {
        if (process.plan().role != role) continue;
        metrics[role].push_back(process.url() + "/metrics");
        pids[role].push_back(process.pid());
        if (process.plan().role == "gateway") all.push_back(process.url());
      }
    }
    pids["nats"] = {nats_->pid()};
    pids["postgres"] = {postgres_->pid()};
    return {{"http", url()},      {"nats", nats_->url()}, {"postgres", postgres_->url()},
            {"metrics", metrics}, {"pids", pids},         {"http_all", all}};
  }

  std::string url() const override { return fleet_.empty() ? "" : fleet_.front().url(); }
  std::string postgres_url() const override { return postgres_->url(); }
  std::string nats_url() const override { return nats_->url(); }
  std::string where(const std::string& what) const override {
    if (what == "postgres" && postgres_) return postgres_->directory();
    return (data_ / what).string();
  }

  bool stop(process::StopSignals& signals) override {
    bool gentle = true;
    for (const char* role : {"gateway", "chat", "worker", "collector"}) {
      for (auto& process : fleet_)
        if (process.plan().role == role && process.child()) process.child()->signal(SIGTERM);
      const auto deadline = Steady::now() + seconds(40);
      for (auto& process : fleet_) {
        if (process.plan().role != role || !process.child()) continue;
        while (!process.child()->wait(milliseconds(50))) {
          if (!signals.wait(milliseconds(0)) && Steady::now() < deadline) continue;
          options_.report(fmt::format("killing {}", process.plan().name));
          process.child()->signal(SIGKILL);
          gentle = false;
        }
      }
    }
    auto postgres = std::async(std::launch::async, [this] { postgres_->stop(SIGINT); });
    auto nats = std::async(std::launch::async, [this] { nats_->stop(SIGTERM); });
    while (postgres.wait_for(milliseconds(20)) != std::future_status::ready ||
           nats.wait_for(milliseconds(0)) != std::future_status::ready) {
      if (!signals.wait(milliseconds(0))) continue;
      gentle = false;
      postgres_->stop(SIGQUIT);
      nats_->stop(SIGKILL);
    }
    // A restart in progress may just have started one of them.
    servers_.finish();
    postgres_->stop(SIGINT);
    nats_->stop(SIGTERM);
    return gentle;
  }

  void kill_all() override {
    kill_fleet();
    if (postgres_) postgres_->stop(SIGQUIT);
    if (nats_) nats_->stop(SIGKILL);
  }

 private:
  static tl::unexpected<Error> interrupted() {
    return fail(ErrorCode::kShuttingDown, "stopped before everything was ready");
  }

  void kill_fleet() {
    for (auto& process : fleet_)
      if (process.child()) process.child()->signal(SIGKILL);
  }

  Result<void> prepare() {
    ASSIGN_OR_RETURN(auto listen, process::parse_host_port(options_.http));
    data_ = fs::absolute(options_.data).lexically_normal();
    if (!data_.has_filename()) data_ = data_.parent_path();
    std::error_code error;
    for (const char* part : {"nats", "logs", "run"}) {
      fs::create_directories(data_ / part, error);
      if (error)
        return fail(ErrorCode::kInvalidRequest,
                    fmt::format("cannot create {}: {}", (data_ / part).string(), error.message()));
      fs::permissions(data_ / part, fs::perms::owner_all, error);
    }
    if (!options_.pools.empty()) RETURN_IF_ERROR(process::parse_pools(options_.pools));
    RETURN_IF_ERROR(lock_.take(data_ / "lock"));
    if (listen.port != 0 && local::port_taken(listen.port))
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("port {} is in use; choose another with --http {}:PORT (0: any)",
                              listen.port, listen.host));
    program_ = fs::read_symlink("/proc/self/exe", error).string();
    return {};
  }

  Result<void> start_servers() {
    // Together: initdb takes longest.
    auto nats = std::async(std::launch::async, [this] {
      return local::NatsServer::start({.program = options_.nats_server,
                                       .directory = (data_ / "nats").string(),
                                       .log_file = (data_ / "logs/nats.log").string(),
                                       .durability = options_.durability,
                                       .access = local::NatsAccess::kPassword});
    });
    auto postgres =
        local::PostgresCluster::start({.directory = (data_ / "postgres").string(),
                                       .sync_when_made = options_.durability == Durability::kPower,
                                       .log_file = (data_ / "logs/postgres.log").string()});
    ASSIGN_OR_RETURN(auto started, nats.get());
    RETURN_IF_ERROR(postgres);
    nats_ = std::move(started);
    postgres_ = std::move(*postgres);
    watch_servers();
    RETURN_IF_ERROR(os::write_whole_file(nats_url_file(data_.string()), nats_->url() + "\n"));
    return os::write_whole_file(postgres_url_file(data_.string()), postgres_->url() + "\n");
  }

  /// Each process gets the secrets that are its own, and nothing else: ours are not in our
  /// environment any more.
  std::map<std::string, std::string> environment(std::string_view role) const {
    std::map<std::string, std::string> variables{{"TOOLWAY_NATS_URL", nats_->url()}};
    if (role != "worker") variables["TOOLWAY_POSTGRES_URL"] = postgres_->url();
    if (role == "worker")
      for (const auto& [name, value] : options_.secrets)
        variables["TOOLWAY_SECRET_" + name] = value;
    if (role == "chat")
      variables.insert(options_.chat_environment.begin(), options_.chat_environment.end());
    if (role == "gateway" && !options_.specs_token.empty())
      variables["TOOLWAY_SPECS_TOKEN"] = options_.specs_token;
    if (!options_.otlp_headers.empty())
      variables["OTEL_EXPORTER_OTLP_HEADERS"] = options_.otlp_headers;
    return variables;
  }

  Result<void> migrate(process::StopSignals& signals) {
    const auto log = (data_ / "logs/migrate.log").string();
    const auto log_from = local::size_of(log);
    // Its nats-server runs alone, whatever was migrated here by hand.
    std::vector<std::string> argv{program_,       "migrate",
                                  "--replicas",   "1",
                                  "--durability", std::string(name_of(options_.durability))};
    for (const auto& pool : options_.pools) argv.insert(argv.end(), {"--pool", pool});
    if (options_.chat) argv.insert(argv.end(), {"--pool", std::string(kChatPool)});
    ASSIGN_OR_RETURN(auto child, local::ChildProcess::start({.argv = std::move(argv),
                                                             .environment = environment("migrate"),
                                                             .log_file = log}));
    const auto deadline = Steady::now() + seconds(60);
    std::optional<int> status;
    while (!(status = child->wait(milliseconds(20)))) {
      if (signals.wait(milliseconds(0))) return interrupted();
      if (Steady::now() > deadline) break;
    }
    if (status == 0) return {};
    return fail(code_of_end(status), fmt::format("migrate failed; its log {} ends:\n{}", log,
                                                 local::tail_since(log, log_from)));
  }

  void plan_all(const std::string& role, unsigned count) {
    for (unsigned i = 0; i < count; ++i) plan(role, i);
  }

  void plan(const std::string& role, unsigned i) {
    const auto name = fmt::format("{}-{}", role, i);
    FleetProcess::Plan plan{.role = role,
                            .name = name,
                            .listen = "127.0.0.1:0",
                            .argv = {program_, role, "--log-level", options_.log_level,
                                     "--log-format", options_.log_format},
                            .environment = environment(role),
                            .log_file = (data_ / "logs" / (name + ".log")).string(),
                            .ready_file = (data_ / "run" / (name + ".ready")).string()};
    plan.log_from = local::size_of(plan.log_file);
    if (role == "gateway" && i == 0) plan.listen = options_.http;
    for (auto& argument : arguments_of(options_, role, data_))
      plan.argv.push_back(std::move(argument));
    if (role == "gateway")
      plan.argv.insert(plan.argv.end(),
                       {"--operator-token-file", operator_token_file(data_.string())});
    fleet_.emplace_back(std::move(plan));
  }

  Result<void> wait_until_ready(process::StopSignals& signals) {
    const auto deadline = Steady::now() + seconds(30);
    for (;;) {
      std::string missing;
      for (auto& process : fleet_) {
        const auto& plan = process.plan();
        if (const auto status = process.died())
          return fail(
              code_of_end(status),
              fmt::format("{} ended with status {}; its log {} ends:\n{}", plan.name, *status,
                          plan.log_file, local::tail_since(plan.log_file, plan.log_from)));
        if (!process.check_ready()) missing = plan.name;
      }
      if (missing.empty()) return {};
      if (Steady::now() > deadline)
        return fail(ErrorCode::kTimeout,
                    fmt::format("{} was not ready after 30 s; see {}", missing, where("logs")));
      if (signals.wait(milliseconds(5))) return interrupted();
    }
  }

  void start_later(FleetProcess& process, Steady::time_point now, const std::string& why) {
    const auto delay = process.next_delay(now);
    process.start_again_at = now + delay;
    const auto& plan = process.plan();
    if (process.hopeless())
      options_.report(
          fmt::format("{} {}, for the {}th time in a row right after its start: restarting does "
                      "not help. Trying again every {} s. Its log {} ends:\n{}",
                      plan.name, why, RestartDelay::kHopeless, delay.count() / 1000, plan.log_file,
                      local::tail(plan.log_file, 300)));
    else
      options_.report(fmt::format("{} {}; starting it again in {} ms, its log is {}", plan.name,
                                  why, delay.count(), plan.log_file));
  }

  void watch_servers() {
    const auto log = [this](const char* name) { return (data_ / "logs" / name).string(); };
    ServerWatch::Server nats{.name = "nats-server",
                             .log_file = log("nats.log"),
                             .alive = [this] { return nats_->alive(); },
                             .pid = [this] { return nats_->pid(); },
                             .restart = [this] { return nats_->restart(); },
                             .answers =
                                 [this] {
                                   return nats_->answers({std::string(proto::kCallsStream),
                                                          std::string(proto::kEventsStream)},
                                                         seconds(5));
                                 },
                             .kill = [this] { nats_->stop(SIGKILL); }};
    ServerWatch::Server postgres{.name = "Postgres",
                                 .log_file = log("postgres.log"),
                                 .alive = [this] { return postgres_->alive(); },
                                 .pid = [this] { return postgres_->pid(); },
                                 .restart = [this] { return postgres_->restart(); }};
    servers_.add(std::move(nats), where("nats"), Steady::now());
    servers_.add(std::move(postgres), where("postgres"), Steady::now());
  }

  const StackOptions options_;
  fs::path data_;
  std::string program_;
  DirectoryLock lock_;
  std::unique_ptr<local::NatsServer> nats_;
  std::unique_ptr<local::PostgresCluster> postgres_;
  std::list<FleetProcess> fleet_;  ///< none moves: others point at it
  std::vector<FleetProcess*> waiting_;
  unsigned workers_made_ = 0;
  ServerGuard servers_;  // after the servers, which it uses
};

}  // namespace

Result<std::unique_ptr<Stack>> Stack::start(StackOptions options, process::StopSignals& signals) {
  auto stack = std::make_unique<LocalStack>(std::move(options));
  RETURN_IF_ERROR(stack->bring_up(signals));
  return stack;
}

}  // namespace toolway::cli::stack
