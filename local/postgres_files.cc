#include "local/postgres_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/fnv.h"
#include "base/ids.h"
#include "base/os/find_program.h"
#include "base/try.h"

namespace toolway::local {
namespace {

namespace fs = std::filesystem;

Result<void> give_to(const std::string& path, const std::string& user) {
  if (user.empty()) return {};
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr)
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no user {} on this machine: install PostgreSQL", user));
  if (chown(path.c_str(), entry->pw_uid, entry->pw_gid) != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot give {} to {}: {}", path, user, std::strerror(errno)));
  return {};
}

bool may_enter(const fs::path& directory, const passwd& entry) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0) return true;  // not there yet: ours to make
  if (status.st_uid == entry.pw_uid) return (status.st_mode & S_IXUSR) != 0;
  if (status.st_gid == entry.pw_gid) return (status.st_mode & S_IXGRP) != 0;
  return (status.st_mode & S_IXOTH) != 0;
}

}  // namespace

Result<std::string> postgres_programs() {
  int newest = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version > newest && !os::find_program((entry.path() / "bin/initdb").string()).empty() &&
        !os::find_program((entry.path() / "bin/postgres").string()).empty())
      newest = version;
  }
  // Not from PATH first: symlinks there may point to different versions.
  if (newest > 0) return fmt::format("/usr/lib/postgresql/{}/bin", newest);
  const auto initdb = os::find_program("initdb");
  if (!initdb.empty() && !os::find_program("postgres").empty())
    return fs::canonical(initdb, ignored).parent_path().string();
  return fail(ErrorCode::kNotFound, "PostgreSQL is not installed: install the package postgresql");
}

std::string postgres_user() { return geteuid() == 0 ? "postgres" : ""; }

std::string reachable_directory(const std::string& wanted, const std::string& user) {
  const auto path = fs::absolute(wanted).lexically_normal();
  if (user.empty()) return path.string();
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) return path.string();
  for (auto parent = path.parent_path(); parent != parent.root_path();
       parent = parent.parent_path())
    if (!may_enter(parent, *entry)) return "/var/lib/toolway/" + fnv_hex(path.string());
  return path.string();
}

Result<void> make_private_directory(const std::string& path, const std::string& user) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return fail(ErrorCode::kInternal, fmt::format("cannot create {}: {}", path, error.message()));
  if (chmod(path.c_str(), 0700) != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot protect {}: {}", path, std::strerror(errno)));
  return give_to(path, user);
}

Result<void> write_private_file(const std::string& path, const std::string& text,
                                const std::string& user) {
  const auto fresh = path + ".new";
  unlink(fresh.c_str());
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool written = fd >= 0;
  written = written && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  written = written && fsync(fd) == 0;
  if (fd >= 0) written = close(fd) == 0 && written;
  if (!written)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  RETURN_IF_ERROR(give_to(fresh, user));
  if (std::rename(fresh.c_str(), path.c_str()) != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return {};
}

Result<std::string> password_file(const std::string& path, const std::string& user) {
  std::string password;
  if (std::ifstream in(path); in >> password) return password;
  password = random_hex(24);
  RETURN_IF_ERROR(write_private_file(path, password + "\n", user));
  return password;
}

std::string postgres_configuration(std::uint16_t port, bool durable) {
  return fmt::format(
      "# Written by toolway at every start.\n"
      "listen_addresses = '127.0.0.1'\n"
      "port = {}\n"
      "unix_socket_directories = ''\n"
      "max_connections = 100\n"
      "shared_buffers = 256MB\n"
      "wal_level = minimal\n"
      "max_wal_senders = 0\n"
      "max_wal_size = 4GB\n"
      "checkpoint_timeout = 15min\n"
      "jit = off\n"
      "password_encryption = 'scram-sha-256'\n"
      "timezone = 'UTC'\n"
      "log_timezone = 'UTC'\n"
      "log_line_prefix = '%m [%p] '\n"
      "log_min_messages = warning\n"
      "log_checkpoints = off\n"
      // After a crash: one sync instead of one for each of a thousand files.
      "recovery_init_sync_method = syncfs\n"
      "{}",
      port, durable ? "" : "fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n");
}

}  // namespace toolway::local
