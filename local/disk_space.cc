#include "local/disk_space.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace toolway::local {

std::optional<DiskSpace> disk_space(const std::string& directory) {
  struct statvfs disk{};
  struct stat place{};
  if (statvfs(directory.c_str(), &disk) != 0 || stat(directory.c_str(), &place) != 0)
    return std::nullopt;
  return DiskSpace{.size = disk.f_blocks * disk.f_frsize,
                   .free = disk.f_bavail * disk.f_frsize,
                   .device = place.st_dev};
}

}  // namespace toolway::local
