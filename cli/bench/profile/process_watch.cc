#include "cli/bench/profile/process_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/os/file_io.h"
#include "base/try.h"
#include "monitoring/process_stats.h"

namespace toolway::cli::bench::profile {
namespace {

constexpr double kMicros = 1e6;

std::string text_of(const std::string& file) { return os::read_file(file).value_or(""); }

std::optional<monitoring::ProcessStats> stats_of(int pid) {
  return monitoring::parse_process_stat(text_of(fmt::format("/proc/{}/stat", pid)),
                                        {.ticks_per_second = sysconf(_SC_CLK_TCK),
                                         .page_size = sysconf(_SC_PAGESIZE),
                                         .boot_time = 0});
}

MachineTime machine_time() {
  return parse_machine_time(text_of("/proc/stat")).value_or(MachineTime{});
}

/// The numbers that name entries of a directory: processes, or threads.
std::vector<int> numbers_in(const std::string& directory) {
  std::vector<int> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const auto name = at->path().filename().string();
    int number = 0;
    const auto* const last = name.data() + name.size();
    if (std::from_chars(name.data(), last, number).ptr == last) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Pids with_children(const Pids& pids) {
  std::multimap<int, int> children;
  for (const int pid : numbers_in("/proc"))
    if (const auto stats = stats_of(pid)) children.emplace(static_cast<int>(stats->parent), pid);
  auto all = pids;
  for (auto& [role, family] : all) {
    if (role == kClient) continue;
    for (std::size_t i = 0; i < family.size(); ++i) {
      const auto [begin, end] = children.equal_range(family[i]);
      for (auto child = begin; child != end; ++child) family.push_back(child->second);
    }
  }
  return all;
}

void ProcessWatch::start() {
  look();
  for (auto& [role, count] : switches_) count.all_seen();
  before_ = cpu();
  machine_before_ = machine_time();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (MutexLock lock(mutex_);
         never_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }),
         !stop.stop_requested();)
      look();
  });
}

Result<Used> ProcessWatch::stop() {
  auto after = cpu();
  const auto machine = machine_time();
  thread_.request_stop();
  thread_.join();
  look();
  RETURN_IF_ERROR(before_);
  RETURN_IF_ERROR(after);
  Used used;
  double us = 0;
  for (const auto& [role, now] : *after) {
    const auto& before = (*before_)[role];
    us += now.user_us - before.user_us + now.system_us - before.system_us;
    used.roles[role] = {.user_us = now.user_us - before.user_us,
                        .system_us = now.system_us - before.system_us,
                        .switches = switches_[role].total()};
  }
  const double total = machine.total - machine_before_.total;
  const double ours = us / kMicros * static_cast<double>(sysconf(_SC_CLK_TCK));
  if (total > 0)
    used.others = std::clamp((machine.busy - machine_before_.busy - ours) / total, 0.0, 1.0);
  return used;
}

Result<std::map<std::string, ProcessWatch::Cpu>> ProcessWatch::cpu() const {
  std::map<std::string, Cpu> all;
  for (const auto& [role, pids] : with_children(pids_)) {
    const auto& started = pids_.at(role);
    auto& sum = all[role];
    for (const int pid : pids) {
      const auto stats = stats_of(pid);
      if (!stats && std::find(started.begin(), started.end(), pid) == started.end())
        continue;  // a child has ended: its parent has its time
      if (!stats)
        return fail(ErrorCode::kInternal,
                    fmt::format("{} (pid {}) has ended, or /proc hides it", role, pid));
      sum.user_us += stats->user_seconds * kMicros;
      sum.system_us += stats->system_seconds * kMicros;
      if (role == kClient) continue;
      sum.user_us += stats->children_user_seconds * kMicros;
      sum.system_us += stats->children_system_seconds * kMicros;
    }
  }
  return all;
}

void ProcessWatch::look() {
  for (const auto& [role, pids] : with_children(pids_)) {
    auto& count = switches_[role];
    for (const int pid : pids) {
      const auto threads = fmt::format("/proc/{}/task", pid);
      for (const int thread : numbers_in(threads))
        if (const auto now = parse_switches(text_of(fmt::format("{}/{}/status", threads, thread))))
          count.see(thread, *now);
    }
  }
}

}  // namespace toolway::cli::bench::profile
