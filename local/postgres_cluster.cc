#include "local/postgres_cluster.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "local/child_process.h"
#include "local/leftover.h"
#include "local/postgres_files.h"
#include "local/tcp.h"

namespace toolway::local {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;

class Cluster final : public PostgresCluster {
 public:
  explicit Cluster(PostgresOptions options)
      : options_(std::move(options)),
        user_(postgres_user()),
        directory_(reachable_directory(options_.directory, user_)),
        data_(directory_ + "/data"),
        log_(options_.log_file.empty() ? directory_ + "/postgres.log" : options_.log_file) {}

  ~Cluster() override {
    stop(options_.keep ? SIGINT : SIGQUIT);
    std::error_code ignored;
    if (!options_.keep) fs::remove_all(directory_, ignored);
  }

  std::string url() const override { return url_of("toolway"); }
  std::string directory() const override { return directory_; }
  int pid() const override { return child_ ? child_->pid() : 0; }
  bool alive() override { return child_ && !child_->poll(); }

  void stop(int signal) override {
    if (!child_) return;
    child_->signal(signal);
    if (!child_->wait(std::chrono::seconds(15))) child_->signal(SIGQUIT);
    if (!child_->wait(std::chrono::seconds(5))) child_->signal(SIGKILL);
    child_->wait(std::chrono::seconds(30));
  }

  Result<void> prepare() {
    auto programs = postgres_programs();
    if (!programs) return fail(programs.error());
    programs_ = *programs;
    if (auto made = make_private_directory(directory_, user_); !made) return made;
    auto password = password_file(directory_ + "/password", user_);
    if (!password) return fail(password.error());
    password_ = *password;
    if (!fs::exists(data_ + "/PG_VERSION")) return initialise();
    return {};
  }

  Result<void> restart() override {
    stop(SIGINT);
    // Its working directory is its data directory: nobody else's is.
    const auto ours = [this](int pid) {
      std::error_code error;
      return fs::read_symlink(fmt::format("/proc/{}/cwd", pid), error) == fs::path(data_) && !error;
    };
    if (!end_leftover(read_pid(data_ + "/postmaster.pid"), ours, Milliseconds(500), SIGQUIT))
      return fail(ErrorCode::kInternal, fmt::format("another Postgres still runs on {}", data_));
    const bool any_port = options_.port == 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (int attempt = 0;; ++attempt) {
      if (any_port) {
        auto port = free_port();
        if (!port) return fail(port.error());
        options_.port = *port;
      }
      auto running = run(deadline);
      if (running) return ensure_database();
      // The backends of a server that was killed take a moment to notice, and
      // somebody may take a free port before the server does.
      const auto words = tail(log_);
      const bool passes = words.find("pre-existing shared memory block") != std::string::npos ||
                          words.find("could not bind") != std::string::npos;
      if (!passes || attempt == 20 || (child_ && !child_->poll())) return running;
      usleep(100'000);
    }
  }

 private:
  std::string url_of(const std::string& database) const {
    return fmt::format("postgresql://toolway:{}@127.0.0.1:{}/{}", password_, options_.port, database);
  }

  /// Into a directory of another name, so that one killed half-way is not taken for a cluster.
  Result<void> initialise() {
    const auto fresh = data_ + ".new";
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    auto child = ChildProcess::start(
        {.argv = {programs_ + "/initdb", "--no-sync", "--no-instructions", "--encoding=UTF8",
                  "--locale=C.UTF-8", "--auth=scram-sha-256", "--username=toolway",
                  "--pwfile=" + directory_ + "/password", "--pgdata=" + fresh},
         .log_file = log_,
         .user = user_});
    if (!child) return fail(child.error());
    const auto status = (*child)->wait(std::chrono::seconds(60));
    if (status != 0)
      return fail(ErrorCode::kInternal, fmt::format("initdb failed; {} ends:\n{}", log_, tail(log_)));
    fs::rename(fresh, data_, ignored);
    if (!fs::exists(data_ + "/PG_VERSION"))
      return fail(ErrorCode::kInternal, fmt::format("cannot rename {} to {}", fresh, data_));
    return {};
  }

  Result<void> run(std::chrono::steady_clock::time_point deadline) {
    if (auto written = write_private_file(data_ + "/postgresql.conf",
                                          postgres_configuration(options_.port, options_.durable),
                                          user_);
        !written)
      return written;
    // SIGQUIT when we die: unlike SIGKILL it leaves no backend and no shared memory behind.
    auto child = ChildProcess::start({.argv = {programs_ + "/postgres", "-D", data_},
                                      .log_file = log_,
                                      .user = user_,
                                      .death_signal = SIGQUIT});
    if (!child) return fail(child.error());
    child_ = std::move(*child);
    for (;;) {
      PGconn* connection = PQconnectdb((url_of("postgres") + "?connect_timeout=5").c_str());
      const bool ready = PQstatus(connection) == CONNECTION_OK;
      const std::string words = PQerrorMessage(connection);
      PQfinish(connection);
      if (ready) return {};
      if (const auto status = child_->wait(Milliseconds(10)))
        return fail(ErrorCode::kTimeout, fmt::format("Postgres ended with status {}; its log {} ends:\n{}",
                                                     *status, log_, tail(log_)));
      if (std::chrono::steady_clock::now() > deadline)
        return fail(ErrorCode::kTimeout, fmt::format("Postgres does not answer ({}); its log {} ends:\n{}",
                                                     words, log_, tail(log_)));
    }
  }

  Result<void> ensure_database() {
    PGconn* connection = PQconnectdb((url_of("toolway") + "?connect_timeout=5").c_str());
    bool there = PQstatus(connection) == CONNECTION_OK;
    PQfinish(connection);
    if (there) return {};
    connection = PQconnectdb((url_of("postgres") + "?connect_timeout=5").c_str());
    PGresult* result = PQexec(connection, "CREATE DATABASE toolway");
    there = PQresultStatus(result) == PGRES_COMMAND_OK;
    const std::string words = PQerrorMessage(connection);
    PQclear(result);
    PQfinish(connection);
    if (there) return {};
    return fail(ErrorCode::kInternal, fmt::format("cannot create the database toolway: {}", words));
  }

  PostgresOptions options_;
  const std::string user_;
  const std::string directory_;
  const std::string data_;
  const std::string log_;
  std::string programs_;
  std::string password_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace

Result<std::unique_ptr<PostgresCluster>> PostgresCluster::start(PostgresOptions options) {
  if (options.directory.empty())
    return fail(ErrorCode::kInternal, "a Postgres cluster needs a directory");
  auto cluster = std::make_unique<Cluster>(std::move(options));
  if (auto ready = cluster->prepare(); !ready) return fail(ready.error());
  if (auto running = cluster->restart(); !running) return fail(running.error());
  return cluster;
}

}  // namespace toolway::local
