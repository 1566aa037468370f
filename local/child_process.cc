#include "local/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/mutex.h"
#include "base/try.h"
#include "local/find_program.h"
#include "local/spawner.h"

namespace toolway::local {
namespace {

using Milliseconds = std::chrono::milliseconds;

std::string system_text(int error) {
  return std::error_code(error, std::system_category()).message();
}

/// All that the child needs after fork, made before it: there it may call
/// nothing but async-signal-safe functions.
struct Launch {
  std::string program;
  std::vector<char*> argv;
  std::vector<std::string> environment;
  std::vector<char*> envp;
  int log_fd = -1;
  int error_fd = -1;
  bool change_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  int death_signal = 0;
  pid_t parent = 0;
};

[[noreturn]] void give_up(int error_fd) {
  const int error = errno;
  if (write(error_fd, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

[[noreturn]] void run_child(const Launch& launch) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  if (launch.log_fd >= 0) {
    if (dup2(launch.log_fd, STDOUT_FILENO) < 0 || dup2(launch.log_fd, STDERR_FILENO) < 0)
      give_up(launch.error_fd);
  }
  // A terminal's input is ours; a child of another process group that read it would be stopped.
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  if (launch.change_user) {
    if (setgroups(launch.groups.size(), launch.groups.data()) != 0 || setgid(launch.gid) != 0 ||
        setuid(launch.uid) != 0)
      give_up(launch.error_fd);
  }
  if (launch.death_signal != 0) {
    // After setuid, which clears it.
    if (prctl(PR_SET_PDEATHSIG, launch.death_signal) != 0) give_up(launch.error_fd);
    if (getppid() != launch.parent) _exit(127);  // died before we could ask
  }
  execve(launch.program.c_str(), launch.argv.data(), launch.envp.data());
  give_up(launch.error_fd);
}

class Child final : public ChildProcess {
 public:
  explicit Child(pid_t pid)
      : pid_(pid), pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

  ~Child() override {
    if (!poll()) {
      signal(SIGTERM);
      if (!wait(std::chrono::seconds(5))) {
        signal(SIGKILL);
        wait(std::chrono::seconds(30));
      }
    }
    if (pidfd_ >= 0) close(pidfd_);
  }

  int pid() const override { return pid_; }

  std::optional<int> poll() override {
    const MutexLock lock(mutex_);
    return reap();
  }

  std::optional<int> wait(Milliseconds timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      if (const auto status = poll()) return status;
      const auto left =
          std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left <= Milliseconds(0)) return std::nullopt;
      // Without pidfd (kernels before 5.3) we look every 5 ms.
      pollfd end{.fd = pidfd_, .events = POLLIN, .revents = 0};
      ::poll(&end, pidfd_ >= 0 ? 1 : 0,
             static_cast<int>(pidfd_ >= 0 ? left.count() : std::min<long>(left.count(), 5)) + 1);
    }
  }

  void signal(int number) override {
    const MutexLock lock(mutex_);
    // Until it is reaped the pid is ours, so this can hit no other process.
    if (!reap()) kill(pid_, number);
  }

 private:
  std::optional<int> reap() REQUIRES(mutex_) {
    if (status_) return status_;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_)
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_;
  }

  const pid_t pid_;
  const int pidfd_;
  Mutex mutex_;
  std::optional<int> status_ GUARDED_BY(mutex_);
};

Result<void> prepare_user(const std::string& user, Launch& launch) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr)
    return fail(ErrorCode::kNotFound, fmt::format("there is no user {}", user));
  launch.change_user = true;
  launch.uid = entry.pw_uid;
  launch.gid = entry.pw_gid;
  int count = 64;
  launch.groups.resize(64);
  if (getgrouplist(user.c_str(), entry.pw_gid, launch.groups.data(), &count) < 0) count = 0;
  launch.groups.resize(static_cast<std::size_t>(count));
  return {};
}

void prepare_environment(const std::map<std::string, std::string>& added, Launch& launch) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('=')))))
      launch.environment.emplace_back(text);
  }
  for (const auto& [name, value] : added) launch.environment.push_back(name + "=" + value);
  for (auto& entry : launch.environment) launch.envp.push_back(entry.data());
  launch.envp.push_back(nullptr);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(ChildOptions options) {
  if (options.argv.empty()) return fail(ErrorCode::kInternal, "a child needs a program to run");
  Launch launch;
  launch.program = find_program(options.argv.front());
  if (launch.program.empty())
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot run {}: no such program", options.argv.front()));
  for (auto& argument : options.argv) launch.argv.push_back(argument.data());
  launch.argv.push_back(nullptr);
  prepare_environment(options.environment, launch);
  if (!options.user.empty()) RETURN_IF_ERROR(prepare_user(options.user, launch));
  launch.death_signal = options.die_with_parent ? options.death_signal : 0;
  launch.parent = getpid();

  if (!options.log_file.empty()) {
    launch.log_fd = open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (launch.log_fd < 0)
      return fail(ErrorCode::kInternal,
                  fmt::format("cannot write the log {}: {}", options.log_file, system_text(errno)));
  }
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    const int error = errno;
    if (launch.log_fd >= 0) close(launch.log_fd);
    return fail(ErrorCode::kInternal, fmt::format("cannot create a pipe: {}", system_text(error)));
  }
  launch.error_fd = pipe_ends[1];
  pid_t pid = -1;
  int fork_error = 0;
  on_spawner_thread([&] {
    pid = fork();
    if (pid == 0) run_child(launch);
    fork_error = errno;
  });
  close(pipe_ends[1]);
  if (launch.log_fd >= 0) close(launch.log_fd);
  if (pid < 0) {
    close(pipe_ends[0]);
    return fail(ErrorCode::kInternal, fmt::format("cannot fork: {}", system_text(fork_error)));
  }
  auto child = std::make_unique<Child>(pid);
  int exec_error = 0;
  ssize_t got = 0;
  do got = read(pipe_ends[0], &exec_error, sizeof exec_error);
  while (got < 0 && errno == EINTR);
  close(pipe_ends[0]);
  if (got > 0) {
    child->wait(std::chrono::seconds(5));
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot run {}: {}", launch.program, system_text(exec_error)));
  }
  return child;
}

}  // namespace toolway::local
