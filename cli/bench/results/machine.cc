#include "cli/bench/results/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

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

/// The first line that a command prints; empty when it fails.
std::string line_said_by(const std::vector<std::string>& argv) {
  const auto file =
      std::filesystem::temp_directory_path() / ("toolway-says-" + std::to_string(getpid()));
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

std::string version_of(int pid) {
  std::error_code error;
  const auto program =
      std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error).string();
  return error ? "" : line_said_by({program, "--version"});
}

OrderedJson program_facts(const std::string& program) {
  const auto directory = std::filesystem::path(program).parent_path().string();
  return {{"version", TOOLWAY_VERSION},
          {"commit", line_said_by({"git", "-C", directory, "rev-parse", "--short=12", "HEAD"})}};
}

}  // namespace toolway::cli::bench::results
