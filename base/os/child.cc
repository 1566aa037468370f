#include "base/os/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/os/own_domain.h"

namespace toolway::os {
namespace {

/// Used where there is no pidfd.
constexpr std::chrono::milliseconds kExitPollInterval{5};

/// Above every number that a child can ask for.
constexpr int kAside = 64;

/// Everything that the child needs, made before it exists: between vfork and exec
/// it shares our memory and may only make system calls.
struct Prepared {
  std::vector<std::string> programs;
  std::vector<char*> argv;
  std::vector<char*> environment;
};

std::vector<std::string> candidates(const ChildOptions& options) {
  const std::string& name = options.argv.front();
  if (name.find('/') != std::string::npos) return {name};
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const auto& variable : options.environment) {
    if (variable.starts_with("PATH=")) path = variable.substr(5);
  }
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (end > begin) found.push_back(path.substr(begin, end - begin) + "/" + name);
    begin = end + 1;
  }
  return found;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Puts the files where the child wants them. First all of them out of the way, so
/// that none is overwritten before it was moved.
bool arrange_files(const ChildOptions& options) {
  std::array<int, 64> aside;
  aside.fill(-1);
  for (const auto& [theirs, ours] : options.files) {
    if (theirs < 0 || theirs >= 64) return false;
    aside[static_cast<std::size_t>(theirs)] = fcntl(ours, F_DUPFD, kAside);
    if (aside[static_cast<std::size_t>(theirs)] < 0) return false;
  }
  for (int number = 0; number < 3; ++number) {
    if (aside[static_cast<std::size_t>(number)] >= 0) continue;
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) return false;
    aside[static_cast<std::size_t>(number)] = fcntl(nothing, F_DUPFD, kAside);
  }
  // Only what is asked for goes along, whatever was opened without O_CLOEXEC.
  int last = 2;
  for (int number = 0; number < 64; ++number) {
    if (aside[static_cast<std::size_t>(number)] < 0) continue;
    if (dup2(aside[static_cast<std::size_t>(number)], number) < 0) return false;
    last = number > last ? number : last;
  }
  for (int number = 3; number < last; ++number) {
    if (aside[static_cast<std::size_t>(number)] < 0) close(number);
  }
  // Not closed yet: one of them tells our parent if we fail.
  return syscall(SYS_close_range, static_cast<unsigned>(last + 1), ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/// In the child. Returns only when it failed; errno says why.
void become(const ChildOptions& options, const Prepared& prepared, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  if (!arrange_files(options)) return;
  // Before the limits, which may leave it no descriptor.
  if (options.in_own_domain && !enter_own_domain() && is_shortage(errno)) return;
  for (const auto& limit : options.limits) {
    const rlimit value{limit.value, limit.value};
    if (setrlimit(static_cast<__rlimit_resource>(limit.resource), &value) != 0) return;
  }
  if (options.user) {
    const auto& [user, group, groups] = *options.user;
    // The system calls themselves: the library's functions would ask other threads to follow.
    if (syscall(SYS_setgroups, groups.size(), groups.data()) != 0 ||
        syscall(SYS_setresgid, group, group, group) != 0 ||
        syscall(SYS_setresuid, user, user, user) != 0)
      return;
  }
  // Or a child of root could read our memory, environment and files in /proc. Without CAP_SETPCAP
  // this fails, and then we are not root, or may do little more than others.
  if (!options.may_inspect) prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);
  if (options.death_signal != 0) {
    // After the change of user, which clears it.
    if (prctl(PR_SET_PDEATHSIG, options.death_signal) != 0) return;
    if (getppid() != parent) _exit(127);  // it ended before we could ask
  }
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) return;
  int error = ENOENT;
  for (const auto& program : prepared.programs) {
    execve(program.c_str(), prepared.argv.data(), prepared.environment.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  errno = error;
}

tl::unexpected<Error> no_process(int error) {
  return fail(ErrorCode::kOverloaded,
              fmt::format("cannot start a process: {}", std::strerror(error)));
}

}  // namespace

bool is_shortage(int error) {
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
}

Result<std::unique_ptr<Child>> Child::start(const ChildOptions& options) {
  Prepared prepared{.programs = candidates(options),
                    .argv = pointers(options.argv),
                    .environment = pointers(options.environment)};
  const pid_t parent = getpid();
  // Closed when the program begins; until then the child says in it what went wrong. (It could
  // write to our memory; but under ThreadSanitizer vfork is fork.)
  std::array<int, 2> told{-1, -1};
  if (pipe2(told.data(), O_CLOEXEC) != 0) return no_process(errno);
  const int tell = fcntl(told[1], F_DUPFD_CLOEXEC, kAside);
  const int tell_error = errno;
  close(told[1]);
  if (tell < 0) {
    close(told[0]);
    return no_process(tell_error);
  }
  // Our signal handlers must not run in the child while it shares our memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork();
  if (pid == 0) {
    become(options, prepared, parent);
    const int error = errno;
    [[maybe_unused]] const auto written = write(tell, &error, sizeof error);
    _exit(127);
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(tell);
  int error = 0;
  if (pid > 0 && read(told[0], &error, sizeof error) != sizeof error) error = 0;
  close(told[0]);
  if (pid < 0) return no_process(fork_error);
  // It runs: without a number for it we look whether it has ended.
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  std::unique_ptr<Child> child(new Child(pid, pidfd));
  if (error == 0) return child;
  if (is_shortage(error)) return no_process(error);
  return fail(error == ENOENT || error == ENOTDIR || error == EACCES ? ErrorCode::kNotFound
                                                                     : ErrorCode::kInternal,
              fmt::format("cannot run '{}': {}", options.argv.front(), std::strerror(error)));
}

Child::~Child() {
  if (!end_) {
    signal_group(SIGKILL);
    signal(SIGKILL);
    wait(std::chrono::milliseconds::max());
  }
  if (pidfd_ >= 0) close(pidfd_);
}

void Child::signal(int number) const {
  if (!end_) kill(pid_, number);
}

void Child::signal_group(int number) const {
  if (!end_) kill(-pid_, number);
}

std::optional<ChildEnd> Child::wait(std::chrono::milliseconds patience) {
  if (end_) return end_;
  const bool for_ever = patience == std::chrono::milliseconds::max();
  if (!for_ever && pidfd_ >= 0) {
    pollfd watched{pidfd_, POLLIN, 0};
    poll(&watched, 1, static_cast<int>(patience.count()));
  }
  int status = 0;
  pid_t waited = 0;
  const auto until =
      std::chrono::steady_clock::now() + (for_ever ? std::chrono::milliseconds(0) : patience);
  for (;;) {
    waited = waitpid(pid_, &status, for_ever ? 0 : WNOHANG);
    if (waited < 0 && errno == EINTR) continue;
    if (waited != 0 || for_ever || pidfd_ >= 0 || std::chrono::steady_clock::now() >= until) break;
    std::this_thread::sleep_for(kExitPollInterval);
  }
  if (waited != pid_) return std::nullopt;
  end_ = WIFSIGNALED(status) ? ChildEnd{.status = 0, .signal = WTERMSIG(status)}
                             : ChildEnd{.status = WEXITSTATUS(status), .signal = 0};
  return end_;
}

}  // namespace toolway::os
