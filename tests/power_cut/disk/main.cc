// power_cut_disk DIRECTORY MOUNTPOINT: the directory again, as a file system whose power can be
// cut. Runs until it is unmounted. As root.
//
//   setfattr -n user.power -v off MOUNTPOINT    drops what is not synced; everything fails with EIO
//   until setfattr -n user.power -v on MOUNTPOINT     the power is back
//
// One thread: a cut is one moment, between two requests. The kernel caches names and attributes for
// no time.
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "tests/power_cut/disk/disk.h"

namespace toolway::test::disk {
namespace {

Disk& disk() { return *static_cast<Disk*>(fuse_get_context()->private_data); }
int top() { return disk().directory(); }
const char* below(const char* path) { return path[1] == '\0' ? "." : path + 1; }
int status(int result) { return result < 0 ? -errno : 0; }
OpenFile& opened(fuse_file_info* info) { return *reinterpret_cast<OpenFile*>(info->fh); }

/// A system call on a path, unless the power is off.
template <typename Call>
int on_path(Call call) {
  return disk().has_power() ? status(call()) : -EIO;
}

/// What to do with an open file, if it may still be used.
template <typename Act>
int on_file(fuse_file_info* info, Act act) {
  return disk().usable(opened(info)) ? static_cast<int>(act(opened(info))) : -EIO;
}

/// What was made belongs to the process that asked.
int give_to_caller(const char* path) {
  const auto* caller = fuse_get_context();
  return fchownat(top(), below(path), caller->uid, caller->gid, AT_SYMLINK_NOFOLLOW);
}

int get_attributes(const char* path, struct stat* found, fuse_file_info* info) {
  if (info != nullptr)
    return on_file(info, [&](OpenFile& open) { return status(fstat(open.file, found)); });
  // The kernel asks for it before it hands the switch on.
  if (std::string_view(path) == "/") return status(fstat(top(), found));
  return on_path([&] { return fstatat(top(), below(path), found, AT_SYMLINK_NOFOLLOW); });
}

int open_with(const char* path, int flags, mode_t mode, fuse_file_info* info) {
  if (!disk().has_power()) return -EIO;
  int error = 0;
  auto open = disk().open(below(path), flags, mode, error);
  if (error == 0) info->fh = reinterpret_cast<std::uint64_t>(open.release());
  return error;
}

int open_file(const char* path, fuse_file_info* info) {
  return open_with(path, info->flags & ~(O_CREAT | O_EXCL), 0, info);
}

int create_file(const char* path, mode_t mode, fuse_file_info* info) {
  const int error = open_with(path, info->flags | O_CREAT, mode, info);
  return error != 0 ? error : status(give_to_caller(path));
}

int release_file(const char*, fuse_file_info* info) {
  close(opened(info).file);
  delete &opened(info);
  return 0;
}

int read_file(const char*, char* into, std::size_t size, off_t offset, fuse_file_info* info) {
  return on_file(info, [&](OpenFile& open) {
    const auto got = pread(open.file, into, size, offset);
    return got < 0 ? -errno : got;
  });
}

int write_file(const char*, const char* data, std::size_t size, off_t offset,
               fuse_file_info* info) {
  return on_file(info, [&](OpenFile& open) { return disk().write(open, data, size, offset); });
}

int truncate_file(const char* path, off_t size, fuse_file_info* info) {
  if (info != nullptr)
    return on_file(info, [&](OpenFile& open) { return disk().truncate(open, size); });
  fuse_file_info own{};
  own.flags = O_WRONLY;
  if (const int error = open_file(path, &own)) return error;
  const int error = disk().truncate(opened(&own), size);
  release_file(path, &own);
  return error;
}

int allocate(const char*, int mode, off_t offset, off_t size, fuse_file_info* info) {
  return on_file(info, [&](OpenFile& open) { return disk().allocate(open, mode, offset, size); });
}

int sync_file(const char*, int, fuse_file_info* info) {
  return on_file(info, [](OpenFile& open) { return disk().sync(open); });
}

int sync_directory(const char*, int, fuse_file_info*) { return disk().has_power() ? 0 : -EIO; }

int read_directory(const char* path, void* into, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                   fuse_readdir_flags) {
  if (!disk().has_power()) return -EIO;
  const int here = openat(top(), below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = here < 0 ? nullptr : fdopendir(here);
  if (entries == nullptr) return -errno;
  while (const auto* entry = readdir(entries))
    if (fill(into, entry->d_name, nullptr, 0, fuse_fill_dir_flags{}) != 0) break;
  closedir(entries);
  return 0;
}

int make_node(const char* path, mode_t mode, dev_t device) {
  return on_path([&] {
    if (const int failed = mknodat(top(), below(path), mode, device)) return failed;
    return give_to_caller(path);
  });
}

int make_directory(const char* path, mode_t mode) {
  return on_path([&] {
    if (const int failed = mkdirat(top(), below(path), mode)) return failed;
    return give_to_caller(path);
  });
}

int make_link(const char* target, const char* path) {
  return on_path([&] {
    if (const int failed = symlinkat(target, top(), below(path))) return failed;
    return give_to_caller(path);
  });
}

int read_link(const char* path, char* into, std::size_t size) {
  return on_path([&] {
    const auto got = readlinkat(top(), below(path), into, size - 1);
    if (got >= 0) into[got] = '\0';
    return got < 0 ? -1 : 0;
  });
}

int remove_file(const char* path) {
  return on_path([&] {
    disk().forget(below(path));
    return unlinkat(top(), below(path), 0);
  });
}

int remove_directory(const char* path) {
  return on_path([&] { return unlinkat(top(), below(path), AT_REMOVEDIR); });
}

int rename_file(const char* from, const char* to, unsigned flags) {
  return on_path([&] {
    if (flags == 0) disk().forget(below(to));
    return renameat2(top(), below(from), top(), below(to), flags);
  });
}

int link_file(const char* from, const char* to) {
  return on_path([&] { return linkat(top(), below(from), top(), below(to), 0); });
}

int change_mode(const char* path, mode_t mode, fuse_file_info*) {
  return on_path([&] { return fchmodat(top(), below(path), mode, 0); });
}

int change_owner(const char* path, uid_t user, gid_t group, fuse_file_info*) {
  return on_path([&] { return fchownat(top(), below(path), user, group, AT_SYMLINK_NOFOLLOW); });
}

int change_times(const char* path, const timespec times[2], fuse_file_info*) {
  return on_path([&] { return utimensat(top(), below(path), times, AT_SYMLINK_NOFOLLOW); });
}

int file_system_status(const char*, struct statvfs* found) {
  return on_path([&] { return fstatvfs(top(), found); });
}

int set_attribute(const char*, const char* name, const char* value, std::size_t size, int) {
  const std::string_view wanted(value, size);
  if (std::string_view(name) != "user.power") return -ENOTSUP;
  if (wanted == "off")
    disk().cut_power();
  else if (wanted == "on")
    disk().restore_power();
  else if (wanted == "sync")
    disk().sync_all();
  else
    return -EINVAL;
  return 0;
}

void* begin(fuse_conn_info*, fuse_config* config) {
  config->use_ino = 1;
  config->attr_timeout = 0;
  config->entry_timeout = 0;
  config->negative_timeout = 0;
  return fuse_get_context()->private_data;
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = begin;
  all.getattr = get_attributes;
  all.readlink = read_link;
  all.mknod = make_node;
  all.mkdir = make_directory;
  all.unlink = remove_file;
  all.rmdir = remove_directory;
  all.symlink = make_link;
  all.rename = rename_file;
  all.link = link_file;
  all.chmod = change_mode;
  all.chown = change_owner;
  all.truncate = truncate_file;
  all.open = open_file;
  all.create = create_file;
  all.read = read_file;
  all.write = write_file;
  all.statfs = file_system_status;
  all.release = release_file;
  all.fsync = sync_file;
  all.fsyncdir = sync_directory;
  all.setxattr = set_attribute;
  all.readdir = read_directory;
  all.utimens = change_times;
  all.fallocate = allocate;
  return all;
}

}  // namespace
}  // namespace toolway::test::disk

int main(int argc, char** argv) {
  using namespace toolway::test::disk;
  if (argc != 3) {
    std::fprintf(stderr, "usage: power_cut_disk DIRECTORY MOUNTPOINT\n");
    return 2;
  }
  const int directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    std::fprintf(stderr, "power_cut_disk: %s: %s\n", argv[1], std::strerror(errno));
    return 1;
  }
  umask(0);
  Disk disk(directory);
  const auto all = operations();
  char options[] = "allow_other,default_permissions,fsname=power_cut_disk";
  char foreground[] = "-f", single_thread[] = "-s", with[] = "-o";
  char* arguments[] = {argv[0], foreground, single_thread, with, options, argv[2]};
  return fuse_main(6, arguments, &all, &disk);
}
