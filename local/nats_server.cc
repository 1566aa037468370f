#include "local/nats_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/ids.h"
#include "base/os/file_io.h"
#include "base/os/find_program.h"
#include "base/try.h"
#include "local/leftover.h"
#include "local/managed_server.h"
#include "local/tcp.h"

namespace toolway::local {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Clients are not told about the other servers: they stay where they were sent.
std::string cluster_configuration(const NatsClusterPlace& place) {
  std::string routes;
  for (const auto port : place.routes)
    routes += fmt::format("{}\"nats://127.0.0.1:{}\"", routes.empty() ? "" : ", ", port);
  return fmt::format(
      "cluster {{ name: toolway, listen: \"127.0.0.1:{}\", no_advertise: true, routes: [ {}] }}\n",
      place.port, routes);
}

/// Servers before 2.10 have no setting `sync_interval`, and refuse a configuration with it.
Result<void> can_sync_always(const std::string& program, const std::string& directory) {
  const auto answer = directory + "/version";
  std::error_code ignored;
  std::filesystem::remove(answer, ignored);
  ASSIGN_OR_RETURN(auto child,
                   ChildProcess::start({.argv = {program, "--version"}, .log_file = answer}));
  child->wait(std::chrono::seconds(10));
  int major = 0;
  int minor = 0;
  const auto text = tail(answer);
  if (std::sscanf(text.c_str(), "nats-server: v%d.%d", &major, &minor) != 2)
    return fail(ErrorCode::kInternal,
                fmt::format("{} --version says \"{}\": is it a nats-server?", program, text));
  if (major > 2 || (major == 2 && minor >= 10)) return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("durability power needs nats-server 2.10 or later, and {} is {}.{}: take "
                          "durability process, or set TOOLWAY_NATS_SERVER to a later server",
                          program, major, minor));
}

constexpr const char* kUser = "toolway";
constexpr std::size_t kPasswordLength = 32;

/// Writes a file that only we can read.
Result<void> write_own_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // one with other rights
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (written) return {};
  return fail(ErrorCode::kInternal, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

/// The earlier password, so that clients keep working after a restart of their server; at first a
/// new one.
Result<std::string> kept_password(const std::string& directory) {
  const auto path = directory + "/password";
  std::string password;
  std::ifstream(path) >> password;
  if (password.size() < kPasswordLength) {
    password = random_hex(kPasswordLength / 2);
    RETURN_IF_ERROR(write_own_file(path, password + "\n"));
  }
  return Result<std::string>(std::move(password));
}

class Server final : public NatsServer {
 public:
  explicit Server(NatsServerOptions options)
      : options_(std::move(options)),
        config_(options_.directory + "/nats.conf"),
        pid_file_(options_.directory + "/nats.pid"),
        process_("nats-server", options_.log_file.empty() ? options_.directory + "/nats.log"
                                                          : options_.log_file) {}

  ~Server() override { stop(SIGTERM); }

  std::string url() const override {
    const auto credentials = password_.empty() ? "" : fmt::format("{}:{}@", kUser, password_);
    return fmt::format("nats://{}127.0.0.1:{}", credentials, options_.port);
  }
  int pid() const override { return process_.pid(); }
  bool alive() override { return process_.alive(); }

  bool answers(const std::vector<std::string>& streams,
               std::chrono::milliseconds timeout) const override {
    return streams_answer(options_.port, streams, timeout, user());
  }

  void stop(int signal) override { process_.stop({{signal, std::chrono::seconds(10)}}); }

  Result<void> prepare() {
    const auto program =
        os::find_program(options_.program.empty() ? "nats-server" : options_.program);
    if (program.empty())
      return fail(ErrorCode::kNotFound,
                  fmt::format("{} was not found: install the package nats-server, or set "
                              "TOOLWAY_NATS_SERVER to the full path of one",
                              options_.program.empty() ? "nats-server" : options_.program));
    options_.program = program;
    std::error_code error;
    std::filesystem::create_directories(options_.directory, error);
    if (error)
      return fail(ErrorCode::kInternal,
                  fmt::format("cannot create {}: {}", options_.directory, error.message()));
    if (options_.durability == Durability::kPower)
      RETURN_IF_ERROR(can_sync_always(program, options_.directory));
    if (options_.access == NatsAccess::kPassword) {
      ASSIGN_OR_RETURN(password_, kept_password(options_.directory));
    }
    return {};
  }

  Result<void> restart() override {
    stop(SIGTERM);
    const auto ours = [this](int pid) {
      const auto line = os::read_file(fmt::format("/proc/{}/cmdline", pid));
      return line && line->find(config_) != std::string::npos;
    };
    if (!end_leftover(read_pid(pid_file_), ours, Milliseconds(500), SIGKILL))
      return fail(ErrorCode::kInternal,
                  fmt::format("another nats-server is still running on {}", options_.directory));
    return process_.run_on_port(options_.port, "address already in use", [this] { return run(); });
  }

 private:
  NatsUser user() const { return {password_.empty() ? "" : kUser, password_}; }
  Result<void> run() {
    const auto configuration = fmt::format(
        "listen: \"127.0.0.1:{}\"\n"
        "server_name: {}\n"
        "pid_file: \"{}\"\n"
        "max_payload: 1MB\n"
        "max_pending: 64MB\n"
        "write_deadline: \"10s\"\n"
        "jetstream {{ store_dir: \"{}/store\", max_memory_store: 64MB, max_file_store: 16GB{} }}\n"
        "{}{}",
        options_.port, options_.cluster ? options_.cluster->node : "toolway_local", pid_file_,
        options_.directory,
        options_.durability == Durability::kPower ? ", sync_interval: always" : "",
        options_.cluster ? cluster_configuration(*options_.cluster) : "",
        password_.empty()
            ? ""
            : fmt::format("authorization {{ user: {}, password: \"{}\" }}\n", kUser, password_));
    RETURN_IF_ERROR(write_own_file(config_, configuration));
    // Then another server would answer in its place: wait for its own end instead.
    const bool port_was_taken = port_taken(options_.port);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    return process_.run(
        {.argv = {options_.program, "--config", config_}}, Milliseconds(5),
        [&] {
          return !port_was_taken && jetstream_answers(options_.port, Milliseconds(250), user());
        },
        [deadline](auto now) { return now > deadline; });
  }

  NatsServerOptions options_;
  const std::string config_;
  const std::string pid_file_;
  std::string password_;  // empty: none is needed
  ManagedServer process_;
};

}  // namespace

Result<std::unique_ptr<NatsServer>> NatsServer::start(NatsServerOptions options) {
  if (options.directory.empty())
    return fail(ErrorCode::kInternal, "a nats-server needs a directory");
  // The configuration names it, and our children may run elsewhere.
  options.directory = std::filesystem::absolute(options.directory).lexically_normal().string();
  auto server = std::make_unique<Server>(std::move(options));
  RETURN_IF_ERROR(server->prepare());
  RETURN_IF_ERROR(server->restart());
  return server;
}

}  // namespace toolway::local
