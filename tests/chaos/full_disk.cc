#include "tests/chaos/full_disk.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace toolway::chaos {
namespace {

tl::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorCode::kInternal, fmt::format("{}: {}", what, std::strerror(errno)));
}

bool write_file(const char* path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

Result<void> unshare_mounts() {
  const auto user = getuid();
  const auto group = getgid();
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return failed("mounts of its own are not allowed");
  if (user != 0) {
    // The same user as before, which may mount here.
    const bool mapped = write_file("/proc/self/setgroups", "deny") &&
                        write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                        write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
    if (!mapped) return failed("a user namespace of its own cannot be set up");
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed("mounts cannot be made private");
  return {};
}

Result<std::unique_ptr<FullDisk>> FullDisk::mount(const std::string& directory,
                                                  std::uint64_t bytes) {
  if (::mount("tmpfs", directory.c_str(), "tmpfs", 0,
              fmt::format("size={},mode=0755", bytes).c_str()) != 0)
    return failed("a disk in memory cannot be mounted");
  return std::unique_ptr<FullDisk>(new FullDisk(directory, bytes));
}

FullDisk::~FullDisk() { umount2(directory_.c_str(), MNT_DETACH); }

bool FullDisk::resize(std::uint64_t bytes) const {
  return ::mount("tmpfs", directory_.c_str(), "tmpfs", MS_REMOUNT,
                 fmt::format("size={}", bytes).c_str()) == 0;
}

Result<void> FullDisk::fill() {
  // The servers write as well: what they add between the two calls makes the size too small.
  for (int attempt = 0; attempt < 20; ++attempt) {
    struct statvfs now{};
    if (statvfs(directory_.c_str(), &now) != 0) break;
    filled_ = resize((now.f_blocks - now.f_bfree) * now.f_frsize);
    if (filled_) return {};
  }
  return failed("the disk cannot be filled");
}

Result<void> FullDisk::free() {
  if (!resize(bytes_)) return failed("the disk cannot be made larger again");
  filled_ = false;
  return {};
}

}  // namespace toolway::chaos
