#include "base/os/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace toolway::os {
namespace {

bool runnable(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return runnable(name) ? name : std::string();
  // As execvp(3) would: looking up a program is not configuration.
  const char* path = std::getenv("PATH");
  std::istringstream directories(std::string(path != nullptr ? path : "/usr/bin:/bin") +
                                 ":/usr/local/sbin:/usr/sbin:/sbin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (directory.empty()) continue;
    const auto candidate = std::filesystem::path(directory) / name;
    if (runnable(candidate)) return candidate.string();
  }
  return {};
}

}  // namespace toolway::os
