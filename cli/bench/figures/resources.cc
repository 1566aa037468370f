#include "cli/bench/figures/resources.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace toolway::cli::bench::figures {
namespace {

constexpr std::string_view kOurs[] = {"gateway", "worker", "collector"};

std::size_t tenth(std::size_t count) { return std::max<std::size_t>(1, count / 10); }

ResourceUse mean(const std::vector<ResourceSample>& samples, std::size_t from, std::size_t to,
                 const std::string& role) {
  ResourceUse sum;
  for (std::size_t i = from; i < to; ++i)
    if (const auto found = samples[i].roles.find(role); found != samples[i].roles.end())
      sum += found->second;
  const auto count = static_cast<double>(to - from);
  return {sum.memory_mb / count, sum.fds / count, sum.threads / count};
}

using Lag = std::optional<double> ResourceSample::*;

/// The largest of a lag, and its growth, if it was sampled at all.
void add_lag(Figures& figures, const std::vector<ResourceSample>& samples, Lag lag,
             const std::string& name, double unit) {
  std::vector<double> values;
  for (const auto& sample : samples)
    if (sample.*lag) values.push_back(*(sample.*lag) * unit);
  if (values.empty()) return;
  const auto part = static_cast<std::ptrdiff_t>(tenth(values.size()));
  const auto sum = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0); };
  figures[name] = *std::max_element(values.begin(), values.end());
  figures[name + "_growth"] =
      (sum(values.end() - part, values.end()) - sum(values.begin(), values.begin() + part)) /
      static_cast<double>(part);
}

}  // namespace

ResourceUse& ResourceUse::operator+=(const ResourceUse& other) {
  memory_mb += other.memory_mb;
  fds += other.fds;
  threads += other.threads;
  return *this;
}

std::optional<ResourceUse> resource_use(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  if (!status) return std::nullopt;
  ResourceUse held;
  double room = 0;  // for descriptors: the most there have been, to the next power of two
  for (std::string word; status >> word;) {
    if (word == "VmRSS:" && status >> held.memory_mb)
      held.memory_mb /= 1024;
    else if (word == "Threads:")
      status >> held.threads;
    else if (word == "FDSize:")
      status >> room;
  }
  std::error_code error;
  const auto directory = fmt::format("/proc/{}/fd", pid);
  std::filesystem::directory_iterator entries(directory, error);
  if (error == std::errc::permission_denied) {
    // A toolway process shows only root what it has open; Linux 6.2 tells every user how many there
    // are.
    struct stat listed{};
    held.fds = stat(directory.c_str(), &listed) == 0 && listed.st_size > 0
                   ? static_cast<double>(listed.st_size)
                   : room;
    return held;
  }
  if (error) return std::nullopt;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (error) break;
    held.fds += 1;
  }
  return held;
}

std::optional<double> largest_value(std::string_view exposition, std::string_view metric) {
  std::optional<double> largest;
  while (!exposition.empty()) {
    const auto line = exposition.substr(0, exposition.find('\n'));
    exposition.remove_prefix(std::min(exposition.size(), line.size() + 1));
    if (!line.starts_with(metric) || line.size() == metric.size()) continue;
    const char next = line[metric.size()];
    const auto blank = line.rfind(' ');
    if ((next != ' ' && next != '{') || blank == std::string_view::npos) continue;
    const double value = std::strtod(std::string(line.substr(blank + 1)).c_str(), nullptr);
    largest = std::max(largest.value_or(value), value);
  }
  return largest;
}

std::map<std::string, Growth> growth_by_role(const std::vector<ResourceSample>& samples) {
  std::map<std::string, Growth> roles;
  const auto part = tenth(samples.size());
  for (const auto& sample : samples)
    for (const auto& [role, held] : sample.roles) roles[role];
  for (auto& [role, growth] : roles) {
    growth.first = mean(samples, 0, part, role);
    growth.last = mean(samples, samples.size() - part, samples.size(), role);
  }
  return roles;
}

Figures resource_figures(const std::vector<ResourceSample>& samples) {
  Figures figures;
  if (samples.empty()) return figures;
  double memory = 0;
  double fds = 0;
  double threads = 0;
  const auto roles = growth_by_role(samples);
  for (const auto role : kOurs) {
    const auto found = roles.find(std::string(role));
    if (found == roles.end()) continue;
    const auto& [first, last] = found->second;
    if (first.memory_mb > 0)
      memory = std::max(memory, 100 * (last.memory_mb - first.memory_mb) / first.memory_mb);
    fds = std::max(fds, last.fds - first.fds);
    threads = std::max(threads, last.threads - first.threads);
  }
  figures["memory_growth"] = memory;
  figures["fds_growth"] = fds;
  figures["threads_growth"] = threads;
  add_lag(figures, samples, &ResourceSample::lag_s, "lag", 1000);
  add_lag(figures, samples, &ResourceSample::lag_messages, "lag_messages", 1);
  return figures;
}

}  // namespace toolway::cli::bench::figures
