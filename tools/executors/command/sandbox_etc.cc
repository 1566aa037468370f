#include "tools/executors/command/sandbox_etc.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <utility>


namespace toolway::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCopied[] = {
    "alternatives",  "bash.bashrc",  "ca-certificates", "debian_version", "fonts",       "host.conf",   "inputrc",
    "issue",         "ld.so.cache",  "ld.so.conf",      "ld.so.conf.d",   "locale.alias", "localtime",  "magic",
    "magic.mime",    "mime.types",   "os-release",      "perl",           "profile",     "protocols",   "python3",
    "python3.11",    "python3.13",   "rpc",             "services",       "ssl/certs",   "ssl/openssl.cnf", "terminfo",
    "timezone"};
constexpr const char* kCopiedWithNetwork[] = {"resolv.conf", "gai.conf"};

constexpr std::pair<const char*, const char*> kWritten[] = {
    {"passwd", "root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:1000:1000:sandbox:/tmp:/bin/sh\n"
               "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
    {"group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"},
    {"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
    {"hostname", "sandbox\n"},
    {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"},
};

/// Readable for everybody, whatever our umask is; what cannot be read is left out.
void open_up(const fs::path& root) {
  chmod(root.c_str(), 0755);
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
    if (entry.is_symlink(error)) continue;
    chmod(entry.path().c_str(), entry.is_directory(error) ? 0755 : 0644);
  }
}

void copy(const char* name, const fs::path& to) {
  const fs::path from = fs::path("/etc") / name;
  std::error_code error;
  if (!fs::exists(from, error)) return;
  fs::create_directories((to / name).parent_path(), error);
  // A link to a file of /etc is worth nothing elsewhere; one of a directory of links is.
  const bool link = fs::is_symlink(from, error) && !fs::is_directory(from, error);
  if (link) {
    fs::copy_file(fs::canonical(from, error), to / name, fs::copy_options::overwrite_existing, error);
  } else {
    fs::copy(from, to / name, fs::copy_options::recursive | fs::copy_options::copy_symlinks |
                                  fs::copy_options::overwrite_existing, error);
  }
}

bool write_all(const fs::path& to, bool network) {
  std::error_code error;
  fs::create_directories(to, error);
  for (const char* name : kCopied) copy(name, to);
  if (network) {
    for (const char* name : kCopiedWithNetwork) copy(name, to);
  }
  for (const auto& [name, text] : kWritten) {
    if (!(std::ofstream(to / name, std::ios::binary) << text).flush()) return false;
  }
  open_up(to);
  return true;
}

}  // namespace

Result<void> write_sandbox_etc(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  chmod(directory.c_str(), 0711);
  const auto wrong = [&](const fs::path& path) {
    return fail(ErrorCode::kInternal, fmt::format("cannot write {}, which sandboxes need", path.string()));
  };
  for (const bool network : {false, true}) {
    const fs::path target = etc_directory(directory, network);
    std::string fresh = target.string() + ".XXXXXX";
    if (mkdtemp(fresh.data()) == nullptr || !write_all(fresh, network)) return wrong(target);
    // Put in place whole: others may be starting sandboxes from it. Some may have the one
    // before mounted, so that only the one before that goes.
    const fs::path before = target.string() + ".before";
    fs::remove_all(before, error);
    fs::rename(target, before, error);
    fs::rename(fresh, target, error);
    if (error) {
      fs::remove_all(fresh, error);
      if (!fs::exists(target, error)) return wrong(target);
    }
  }
  return {};
}

std::string etc_directory(const fs::path& directory, bool network) {
  return (directory / (network ? "etc-network" : "etc")).string();
}

}  // namespace toolway::tools
