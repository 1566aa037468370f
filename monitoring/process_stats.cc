#include "monitoring/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace toolway::monitoring {
namespace {

std::string text_of(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

double boot_time() {
  const std::string text = text_of("/proc/stat");
  const auto line = text.find("\nbtime ");
  double seconds = 0;
  if (line != std::string::npos)
    std::from_chars(text.data() + line + 7, text.data() + text.size(), seconds);
  return seconds;
}

double open_descriptors() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    ++count;
  return count > 0 ? count - 1 : 0;  // without the one that reads the directory
}

}  // namespace

std::optional<ProcessStats> parse_process_stat(std::string_view stat, const ProcessUnits& units) {
  // Fields by proc(5)'s numbers; the second one, a name in parentheses, may hold anything.
  constexpr std::size_t kFirst = 3;
  constexpr std::size_t kLast = 24;
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  std::array<double, kLast + 1> fields{};
  for (std::size_t number = kFirst; number <= kLast; ++number) {
    const auto begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(begin);
    const auto text = stat.substr(0, stat.find(' '));
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), fields[number]);
    if (number != kFirst && error != std::errc()) return std::nullopt;  // the first is a letter
    stat.remove_prefix(text.size());
  }
  const auto ticks = static_cast<double>(units.ticks_per_second);
  ProcessStats stats;
  stats.parent = fields[4];
  stats.user_seconds = fields[14] / ticks;
  stats.system_seconds = fields[15] / ticks;
  stats.children_user_seconds = fields[16] / ticks;
  stats.children_system_seconds = fields[17] / ticks;
  stats.threads = fields[20];
  stats.start_time = units.boot_time + fields[22] / ticks;
  stats.virtual_bytes = fields[23];
  stats.resident_bytes = fields[24] * static_cast<double>(units.page_size);
  return stats;
}

std::optional<ProcessStats> read_process_stats() {
  static const double booted = boot_time();
  auto stats =
      parse_process_stat(text_of("/proc/self/stat"), {.ticks_per_second = sysconf(_SC_CLK_TCK),
                                                      .page_size = sysconf(_SC_PAGESIZE),
                                                      .boot_time = booted});
  if (!stats) return std::nullopt;
  stats->open_fds = open_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats->max_fds = static_cast<double>(limit.rlim_cur);
  return stats;
}

}  // namespace toolway::monitoring
