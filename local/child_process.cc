#include "local/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/mutex.h"
#include "base/os/child.h"
#include "base/os/file_descriptor.h"
#include "base/os/find_program.h"
#include "base/os/spawner.h"
#include "base/try.h"

namespace toolway::local {
namespace {

using Milliseconds = std::chrono::milliseconds;

class SharedChild final : public ChildProcess {
 public:
  explicit SharedChild(std::unique_ptr<os::Child> child)
      : pid_(child->pid()), pidfd_(child->pidfd()), child_(std::move(child)) {}

  ~SharedChild() override {
    if (poll()) return;
    signal(SIGTERM);
    if (wait(std::chrono::seconds(5))) return;
    signal(SIGKILL);
    wait(std::chrono::seconds(30));
  }

  int pid() const override { return pid_; }

  std::optional<int> poll() override {
    const MutexLock lock(mutex_);
    const auto end = child_->wait(Milliseconds(0));
    if (!end) return std::nullopt;
    return end->signal == 0 ? end->status : 128 + end->signal;
  }

  std::optional<int> wait(Milliseconds timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      if (const auto status = poll()) return status;
      const auto left =
          std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left <= Milliseconds(0)) return std::nullopt;
      // Not under the mutex. Without pidfd (kernels before 5.3) we look every 5 ms.
      pollfd end{.fd = pidfd_, .events = POLLIN, .revents = 0};
      ::poll(&end, pidfd_ >= 0 ? 1 : 0,
             static_cast<int>(pidfd_ >= 0 ? left.count() : std::min<long>(left.count(), 5)) + 1);
    }
  }

  void signal(int number) override {
    // Until it is reaped the pid is ours, so this can hit no other process.
    if (poll()) return;
    const MutexLock lock(mutex_);
    child_->signal(number);
  }

 private:
  const pid_t pid_;
  const int pidfd_;
  Mutex mutex_;
  const std::unique_ptr<os::Child> child_ PT_GUARDED_BY(mutex_);
};

Result<os::ProcessUser> find_user(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr)
    return fail(ErrorCode::kNotFound, fmt::format("there is no user {}", name));
  int count = 64;
  std::vector<gid_t> groups(64);
  if (getgrouplist(name.c_str(), entry.pw_gid, groups.data(), &count) < 0) count = 0;
  groups.resize(static_cast<std::size_t>(count));
  return os::ProcessUser(entry.pw_uid, entry.pw_gid, std::move(groups));
}

/// Ours, with `added`.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('=')))))
      environment.emplace_back(text);
  }
  for (const auto& [name, value] : added) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(ChildProcessOptions options) {
  if (options.argv.empty()) return fail(ErrorCode::kInternal, "a child needs a program to run");
  const auto program = os::find_program(options.argv.front());
  if (program.empty())
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot run {}: no such program", options.argv.front()));
  options.argv.front() = program;
  os::ChildOptions launch{.argv = std::move(options.argv),
                          .environment = environment_with(options.environment),
                          .may_inspect = true,
                          .death_signal = options.die_with_parent ? options.death_signal : 0};
  if (!options.user.empty()) {
    ASSIGN_OR_RETURN(launch.user, find_user(options.user));
  }
  os::FileDescriptor log;
  if (!options.log_file.empty()) {
    log.reset(open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
    if (!log)
      return fail(ErrorCode::kInternal, fmt::format("cannot write the log {}: {}", options.log_file,
                                                    std::strerror(errno)));
  }
  const int output = log ? log.get() : STDOUT_FILENO;
  launch.files = {{STDOUT_FILENO, output}, {STDERR_FILENO, log ? output : STDERR_FILENO}};
  Result<std::unique_ptr<os::Child>> child = fail(ErrorCode::kInternal, "not started");
  os::on_spawner_thread([&] { child = os::Child::start(launch); });
  RETURN_IF_ERROR(child);
  return std::make_unique<SharedChild>(*std::move(child));
}

}  // namespace toolway::local
