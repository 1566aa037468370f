#include "local/postgres_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/try.h"
#include "local/child_process.h"
#include "local/leftover.h"
#include "local/managed_server.h"
#include "local/postgres_client.h"
#include "local/postgres_files.h"
#include "local/tcp.h"

namespace toolway::local {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;

constexpr std::chrono::minutes kRecovery{10};

class Cluster final : public PostgresCluster {
 public:
  explicit Cluster(PostgresOptions options)
      : options_(std::move(options)),
        user_(postgres_user()),
        directory_(reachable_directory(options_.directory, user_)),
        data_(directory_ + "/data"),
        process_("Postgres",
                 options_.log_file.empty() ? directory_ + "/postgres.log" : options_.log_file) {}

  ~Cluster() override {
    stop(options_.keep ? SIGINT : SIGQUIT);
    std::error_code ignored;
    if (!options_.keep) fs::remove_all(directory_, ignored);
  }

  std::string url() const override { return url_of("toolway"); }
  std::string directory() const override { return directory_; }
  int pid() const override { return process_.pid(); }
  bool alive() override { return process_.alive(); }
  void stop(int signal) override {
    process_.stop({{signal, std::chrono::seconds(15)}, {SIGQUIT, std::chrono::seconds(5)}});
  }

  Result<void> prepare() {
    ASSIGN_OR_RETURN(programs_, postgres_programs());
    RETURN_IF_ERROR(make_private_directory(directory_, user_));
    ASSIGN_OR_RETURN(password_, password_file(directory_ + "/password", user_));
    if (!fs::exists(data_ + "/PG_VERSION")) return initialise();
    return {};
  }

  Result<void> restart() override {
    stop(SIGINT);
    RETURN_IF_ERROR(end_leftovers());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    auto running = process_.run_on_port(options_.port, "could not bind",
                                        [this, deadline] { return run(deadline); });
    return running ? ensure_database() : running;
  }

 private:
  std::string url_of(const std::string& database) const {
    return fmt::format("postgresql://toolway:{}@127.0.0.1:{}/{}", password_, options_.port,
                       database);
  }

  /// A server that was killed leaves backends behind, which hold its shared memory until they
  /// notice; those in the middle of a statement notice late. No server may start while they run.
  Result<void> end_leftovers() const {
    const auto ours = [this](int pid) {
      std::error_code error;
      if (fs::read_symlink(fmt::format("/proc/{}/cwd", pid), error) != fs::path(data_) || error)
        return false;
      // A person's shell may be in the directory, too. A process that is ending no longer has a
      // program, but has its shared memory a moment longer.
      const auto program =
          fs::read_symlink(fmt::format("/proc/{}/exe", pid), error).filename().string();
      return error || program.starts_with("postgres");
    };
    // The postmaster first: it ends its own backends.
    end_leftover(read_pid(data_ + "/postmaster.pid"), ours, Milliseconds(500), SIGQUIT);
    for (const int pid : processes_in(data_))
      if (ours(pid) && !end_leftover(pid, ours, Milliseconds(100), SIGQUIT))
        return fail(ErrorCode::kInternal,
                    fmt::format("another Postgres (pid {}) is still running on {}", pid, data_));
    return {};
  }

  /// Into a directory of another name, so that one killed half-way is not taken for a cluster.
  Result<void> initialise() {
    const auto fresh = data_ + ".new";
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    std::vector<std::string> argv{programs_ + "/initdb",
                                  "--no-instructions",
                                  "--encoding=UTF8",
                                  "--locale=C.UTF-8",
                                  "--auth=scram-sha-256",
                                  "--username=toolway",
                                  "--pwfile=" + directory_ + "/password",
                                  "--pgdata=" + fresh};
    if (!options_.sync_when_made) argv.emplace_back("--no-sync");
    ASSIGN_OR_RETURN(
        auto child,
        ChildProcess::start({.argv = std::move(argv), .log_file = process_.log(), .user = user_}));
    const auto status = child->wait(std::chrono::seconds(60));
    if (status != 0)
      return fail(ErrorCode::kInternal,
                  fmt::format("initdb failed; {} ends:\n{}", process_.log(), tail(process_.log())));
    fs::rename(fresh, data_, ignored);
    if (!fs::exists(data_ + "/PG_VERSION"))
      return fail(ErrorCode::kInternal, fmt::format("cannot rename {} to {}", fresh, data_));
    return {};
  }

  Result<void> run(std::chrono::steady_clock::time_point deadline) {
    if (auto written =
            write_private_file(data_ + "/postgresql.conf",
                               postgres_configuration(options_.port, options_.durable), user_);
        !written)
      return written;
    const auto url = url_of("postgres");
    // SIGQUIT when we die: unlike SIGKILL it leaves no backend and no shared memory behind.
    return process_.run(
        {.argv = {programs_ + "/postgres", "-D", data_}, .user = user_, .death_signal = SIGQUIT},
        Milliseconds(20), [&] { return connects(url); },
        // After a crash it first replays its log, which may take longer than a
        // normal start.
        [&](auto now) {
          return now > deadline && (now > deadline + kRecovery || !is_starting(url));
        });
  }

  Result<void> ensure_database() {
    if (connects(url_of("toolway"))) return {};
    return create_database(url_of("postgres"), "toolway");
  }

  PostgresOptions options_;
  const std::string user_;
  const std::string directory_;
  const std::string data_;
  std::string programs_;
  std::string password_;
  ManagedServer process_;
};

}  // namespace

Result<std::unique_ptr<PostgresCluster>> PostgresCluster::start(PostgresOptions options) {
  if (options.directory.empty())
    return fail(ErrorCode::kInternal, "a Postgres cluster needs a directory");
  auto cluster = std::make_unique<Cluster>(std::move(options));
  RETURN_IF_ERROR(cluster->prepare());
  RETURN_IF_ERROR(cluster->restart());
  return cluster;
}

}  // namespace toolway::local
