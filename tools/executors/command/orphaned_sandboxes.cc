#include "tools/executors/command/orphaned_sandboxes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/os/file_descriptor.h"

namespace toolway::tools::executors::command {
namespace {

/// More than a path and what comes before it; a status is shorter unless its user is in a thousand
/// groups.
constexpr std::size_t kBeginning = 8192;

/// A process by its directory in /proc: everything that is read through it, and the signal, is for
/// this process, or fails when it has ended, even if another process has its number by then.
os::FileDescriptor open_process(const std::string& number) {
  return os::FileDescriptor(open(("/proc/" + number).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// How a file of a process begins: empty when the process has ended, nothing when it cannot be read
/// now.
std::optional<std::string> beginning_of(const os::FileDescriptor& process, const char* file) {
  const auto unreadable = []() -> std::optional<std::string> {
    if (errno == ESRCH || errno == ENOENT) return "";
    return std::nullopt;
  };
  const os::FileDescriptor opened(openat(process.get(), file, O_RDONLY | O_CLOEXEC));
  if (!opened) return unreadable();
  std::array<char, kBeginning> text;
  const auto length = read(opened.get(), text.data(), text.size());
  if (length < 0) return unreadable();
  return std::string(text.data(), static_cast<std::size_t>(length));
}

/// The numbers of a line `name:\t1\t2` of a status.
std::vector<pid_t> numbers_of(std::string_view status, std::string_view name) {
  std::vector<pid_t> numbers;
  const auto begin = status.find(fmt::format("\n{}:", name));
  if (begin == std::string_view::npos) return numbers;
  auto line = status.substr(begin + name.size() + 2);
  line = line.substr(0, line.find('\n'));
  for (std::size_t at = 0; (at = line.find_first_of("0123456789", at)) != std::string_view::npos;) {
    pid_t number = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - line.data());
  }
  return numbers;
}

class OrphanSearch {
 public:
  OrphanSearch(const std::filesystem::path& directory, uid_t user) : user_(user) {
    for (const auto& word : sandbox_mark(directory)) mark_.append(word).push_back('\0');
  }

  /// Whether it is the first process of a sandbox of this directory, and its bubblewrap is gone.
  bool is_orphan(const os::FileDescriptor& process) const {
    const auto command = beginning_of(process, "cmdline");
    if (!command || !is_marked(*command)) return false;
    const auto status = beginning_of(process, "status");
    if (!status) return false;
    const auto users = numbers_of(*status, "Uid");
    const auto names = numbers_of(*status, "NSpid");  // one for each PID namespace, ours first
    const auto parent = numbers_of(*status, "PPid");
    if (users.empty() || static_cast<uid_t>(users.front()) != user_) return false;
    if (names.size() < 2 || names.back() != 1) return false;
    // 0: a parent in a namespace above ours, which we cannot see.
    return parent.size() == 1 && parent.front() != 0 && !may_be_bubblewrap(parent.front());
  }

 private:
  bool is_marked(std::string_view command) const {
    const auto program = command.find('\0');
    return program != std::string_view::npos && command.substr(program + 1).starts_with(mark_);
  }

  /// Only what certainly is not counts as gone.
  bool may_be_bubblewrap(pid_t parent) const {
    const auto process = open_process(std::to_string(parent));
    if (!process) return errno != ENOENT;
    const auto command = beginning_of(process, "cmdline");
    return !command || is_marked(*command);
  }

  const uid_t user_;
  std::string mark_;  ///< as /proc/…/cmdline has it
};

}  // namespace

std::vector<std::string> sandbox_mark(const std::filesystem::path& directory) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(directory, error);
  return {"--setenv", "TOOLWAY_SANDBOXES", error ? directory.string() : whole.string()};
}

std::size_t kill_orphaned_sandboxes(const std::filesystem::path& directory, uid_t user) {
  const OrphanSearch search(directory, user);
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  std::size_t killed = 0;
  while (const auto* entry = proc ? readdir(proc.get()) : nullptr) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto process = open_process(entry->d_name);
    if (!process || !search.is_orphan(process)) continue;
    if (syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0) ++killed;
  }
  return killed;
}

}  // namespace toolway::tools::executors::command
