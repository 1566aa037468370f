#include "tools/executors/command/sandbox_etc.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <utility>

namespace toolway::tools::executors::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCopied[] = {
    "debian_version", "gai.conf",     "host.conf", "inputrc", "issue",      "ld.so.cache",
    "ld.so.conf",     "locale.alias", "localtime", "magic",   "magic.mime", "mime.types",
    "os-release",     "profile",      "protocols", "rpc",     "services",   "ssl/openssl.cnf",
    "timezone"};
/// Mounted from this machine; each holds hundreds of links.
constexpr const char* kMountPoints[] = {"alternatives", "ssl/certs"};

constexpr std::pair<const char*, const char*> kWritten[] = {
    {"passwd",
     "root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:1000:1000:sandbox:/tmp:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
    {"group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"},
    {"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
    {"hostname", "sandbox\n"},
    {"resolv.conf", ""},
    {"nsswitch.conf",
     "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"},
};

/// Readable by every user, whatever our umask is; what cannot be read is left out.
void open_up(const fs::path& root) {
  chmod(root.c_str(), 0755);
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
    if (entry.is_symlink(error)) continue;
    chmod(entry.path().c_str(), entry.is_directory(error) ? 0755 : 0644);
  }
}

bool write_all(const fs::path& to) {
  std::error_code error;
  for (const char* name : kMountPoints) fs::create_directories(to / name, error);
  for (const char* name : kCopied) {
    const auto from = fs::canonical(fs::path("/etc") / name, error);
    if (!error) fs::copy_file(from, to / name, error);
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
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}, which sandboxes need", path.string()));
  };
  const fs::path target = directory / "etc";
  std::string fresh = target.string() + ".XXXXXX";
  if (mkdtemp(fresh.data()) == nullptr || !write_all(fresh)) return wrong(target);
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
  return {};
}

std::vector<std::string> etc_arguments(const fs::path& directory, bool network) {
  std::vector<std::string> arguments{"--ro-bind", directory / "etc", "/etc"};
  const auto show = [&](const std::string& path) {
    std::error_code error;
    if (fs::exists(path, error)) arguments.insert(arguments.end(), {"--ro-bind", path, path});
  };
  for (const char* name : kMountPoints) show(fmt::format("/etc/{}", name));
  if (network) show("/etc/resolv.conf");
  return arguments;
}

}  // namespace toolway::tools::executors::command
