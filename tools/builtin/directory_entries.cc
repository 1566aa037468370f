#include "tools/builtin/directory_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace toolway::tools::builtin {
namespace {

EntryType type_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryType::file;
  if (S_ISDIR(mode)) return EntryType::directory;
  if (S_ISLNK(mode)) return EntryType::symlink;
  return EntryType::other;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Result<std::vector<DirectoryEntry>> directory_entries(const Descriptor& directory) {
  // fdopendir takes its descriptor over, and its position with it: give it another.
  Descriptor own(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseDirectory> stream(own ? ::fdopendir(own.get()) : nullptr);
  if (!stream) {
    return fail(ErrorCode::kInternal,
                fmt::format("cannot list the directory: {}", std::strerror(errno)));
  }
  own.release();
  std::vector<DirectoryEntry> entries;
  while (const dirent* found = ::readdir(stream.get())) {
    const std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;  // gone
    entries.push_back({name, type_of(status.st_mode), S_ISREG(status.st_mode) ? status.st_size : 0,
                       status.st_mtim.tv_sec});
  }
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace toolway::tools::builtin
