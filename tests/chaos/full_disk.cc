#include "tests/chaos/full_disk.h"

#include <fcntl.h>
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
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return failed("mounts of its own are not allowed");
  if (user != 0) {
    // The same user as before, who may mount here.
    const bool mapped = write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                        write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
    if (!mapped) return failed("a user namespace of its own cannot be set up");
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("mounts cannot be made private");
  return {};
}

Result<std::unique_ptr<FullDisk>> FullDisk::mount(const std::string& directory, std::uint64_t bytes) {
  if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, fmt::format("size={},mode=0755", bytes).c_str()) != 0) return failed("a disk in memory cannot be mounted");
  return std::unique_ptr<FullDisk>(new FullDisk(directory));
}

FullDisk::~FullDisk() { umount2(directory_.c_str(), MNT_DETACH); }

Result<void> FullDisk::fill() {
  const int fd = open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failed("the disk cannot be filled");
  filled_ = true;
  // The servers write as well: until nothing is left.
  off_t end = 0;
  for (int round = 0; round < 10; ++round) {
    struct statvfs left {};
    if (fstatvfs(fd, &left) != 0 || left.f_bavail == 0) break;
    const auto more = static_cast<off_t>(left.f_bavail * left.f_frsize);
    if (posix_fallocate(fd, end, more) == 0) end += more;
  }
  close(fd);
  return {};
}

void FullDisk::free() {
  unlink(filler().c_str());
  filled_ = false;
}

}  // namespace toolway::chaos
