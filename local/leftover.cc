#include "local/leftover.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace toolway::local {
namespace {

bool gone_within(int pid, const std::function<bool(int)>& is_ours,
                 std::chrono::milliseconds timeout) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  bool gone = !is_ours(pid);
  while (!gone && std::chrono::steady_clock::now() < deadline) {
    pollfd end{.fd = fd, .events = POLLIN, .revents = 0};
    ::poll(&end, fd >= 0 ? 1 : 0, 20);
    gone = !is_ours(pid) || (fd >= 0 && (end.revents & POLLIN) != 0);
  }
  if (fd >= 0) close(fd);
  return gone;
}

}  // namespace

bool end_leftover(int pid, const std::function<bool(int)>& is_ours,
                  std::chrono::milliseconds patience, int signal) {
  if (pid <= 1 || pid == getpid()) return true;
  if (gone_within(pid, is_ours, patience)) return true;
  kill(pid, signal);
  if (gone_within(pid, is_ours, std::chrono::seconds(5))) return true;
  kill(pid, SIGKILL);
  return gone_within(pid, is_ours, std::chrono::seconds(5));
}

std::vector<int> processes_in(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1) continue;
    // Those of other users cannot be read, and are not ours.
    std::error_code unreadable;
    const auto where = fs::read_symlink(entry.path() / "cwd", unreadable);
    if (!unreadable && where == fs::path(directory)) pids.push_back(pid);
  }
  return pids;
}

int read_pid(const std::string& file) {
  std::ifstream in(file);
  int pid = 0;
  return in >> pid ? pid : 0;
}

namespace {

/// The last `bytes` of a file in whole lines, nothing before `from`.
std::string tail_of(const std::string& file, std::size_t bytes, std::size_t from) {
  std::ifstream in(file, std::ios::ate | std::ios::binary);
  if (!in) return {};
  const auto size = static_cast<std::streamoff>(in.tellg());
  const auto first = static_cast<std::streamoff>(from);
  const auto begin = std::max(first, size - static_cast<std::streamoff>(bytes));
  if (begin > size) return {};
  in.seekg(begin);
  // Not from the middle of a line.
  if (std::string rest; begin > first) std::getline(in, rest);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

std::string tail(const std::string& file, std::size_t bytes) { return tail_of(file, bytes, 0); }

std::string tail_since(const std::string& file, std::size_t from) {
  return tail_of(file, 2000, from);
}

std::size_t size_of(const std::string& file) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : static_cast<std::size_t>(size);
}

}  // namespace toolway::local
