#include "cli/bench/results/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/os/find_program.h"
#include "local/child_process.h"

namespace toolway::cli::bench::results {
namespace {

/// The value of a line `name : value` of a file of /proc.
std::string line_of(const char* file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    const auto begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

/// What git says in a directory; empty when it says nothing there.
std::string git_says(const std::filesystem::path& directory,
                     const std::vector<std::string>& words) {
  const auto git = os::find_program("git");
  if (git.empty()) return {};
  const auto file =
      std::filesystem::temp_directory_path() / ("toolway-git-" + std::to_string(getpid()));
  std::vector<std::string> argv{git, "-C", directory.string()};
  argv.insert(argv.end(), words.begin(), words.end());
  auto child = local::ChildProcess::start({.argv = argv, .log_file = file.string()});
  std::string said;
  if (child && (*child)->wait(std::chrono::seconds(5)) == 0)
    std::getline(std::ifstream(file) >> std::ws, said);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return said;
}

}  // namespace

OrderedJson machine_facts() {
  utsname system{};
  uname(&system);
  std::array<double, 1> load{};
  if (getloadavg(load.data(), 1) != 1) load[0] = 0;
  return {{"cores", std::thread::hardware_concurrency()},
          {"model", line_of("/proc/cpuinfo", "model name")},
          {"memory_mb", sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"load_before", load[0]}};
}

OrderedJson program_facts(const std::string& program) {
  const auto directory = std::filesystem::path(program).parent_path();
  return {{"version", TOOLWAY_VERSION},
          {"commit", git_says(directory, {"rev-parse", "--short=12", "HEAD"})}};
}

}  // namespace toolway::cli::bench::results
