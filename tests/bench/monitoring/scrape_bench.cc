#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/metric_snapshot.h"

/// What an observation costs, and a scrape of a process that has called 1,000 tools in two pools.
namespace {

using namespace toolway;
using namespace toolway::monitoring;
using Steady = std::chrono::steady_clock;

/// Of this thread: what others do on the machine does not count.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double ms_since(Steady::time_point begin) {
  return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

void observe_all(toolway::monitoring::MetricRegistry& metrics) {
  for (int tool = 0; tool < 1000; ++tool) {
    const auto name = "farm.some_tool_name_" + std::to_string(tool);
    for (const char* pool : {"native", "python"}) {
      const toolway::monitoring::CallKey key{.tool = name, .pool = pool};
      for (const auto histogram : {toolway::monitoring::kSubmitToStarted, toolway::monitoring::kRun,
                                   toolway::monitoring::kSubmitToCompleted}) {
        metrics.histogram(histogram, key)
            .observe(std::chrono::microseconds(700 + tool),
                     toolway::TraceContext::root(tool % 100 == 0));
      }
      for (const char* outcome : {"succeeded", "failed"}) {
        metrics
            .counter(toolway::monitoring::kCallsCompleted,
                     {.tool = name, .pool = pool, .outcome = outcome})
            .add();
      }
      metrics.counter(toolway::monitoring::kRetries, key).add();
      metrics
          .counter(toolway::monitoring::kAttemptErrors,
                   {{"tool", name}, {"pool", pool}, {"code", "tool_error"}})
          .add();
    }
  }
}

/// CPU time, the best of three turns.
template <typename Work>
void per_observation(const char* what, Work work) {
  constexpr int kTimes = 1'000'000;
  double best = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    const double begin = cpu_ms();
    for (int i = 0; i < kTimes; ++i) work(i);
    best = std::min(best, cpu_ms() - begin);
  }
  std::printf("%-44s %6.1f ns\n", what, best);
}

/// Both threads' CPU time per observation, when they never leave each other alone.
template <typename Work>
void by_two_threads(const char* what, Work work) {
  constexpr int kTimes = 1'000'000;
  std::array<double, 2> spent{};
  {
    std::vector<std::jthread> threads;
    for (double& mine : spent) {
      threads.emplace_back([&mine, &work] {
        const double begin = cpu_ms();
        for (int i = 0; i < kTimes; ++i) work(i);
        mine = cpu_ms() - begin;
      });
    }
  }
  std::printf("%-44s %6.1f ns\n", what, (spent[0] + spent[1]) / 2);
}

/// The most that this process ever had.
double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

double resident_mb(toolway::monitoring::MetricRegistry& metrics) {
  const std::string text = metrics.scrape();
  const std::string line = "\n" + std::string(toolway::monitoring::kProcessResident) + " ";
  return std::stod(text.substr(text.find(line) + line.size())) / 1e6;
}

}  // namespace

int main() {
  const auto metrics = toolway::monitoring::make_registry("worker");
  const double empty = resident_mb(*metrics);
  observe_all(*metrics);
  const double before = cpu_ms();
  const double filled = resident_mb(*metrics);
  std::printf("%-44s %6.1f MB (the first scrape took %.1f ms of CPU)\n", "memory of the series",
              filled - empty, cpu_ms() - before);
  std::printf("%-44s %6.1f MB\n", "what a scrape needs besides them", peak_mb() - filled);
  for (int i = 0; i < 3; ++i) {
    const double cpu = cpu_ms();
    const auto families = metrics->snapshot().families.size();
    std::printf("snapshot, of %zu families %27.1f ms of CPU\n", families, cpu_ms() - cpu);
  }
  for (const auto format : {toolway::monitoring::Exposition::kPrometheusText,
                            toolway::monitoring::Exposition::kOpenMetrics}) {
    for (int i = 0; i < 5; ++i) {
      const double cpu = cpu_ms();
      const auto begin = Steady::now();
      const auto text = metrics->scrape(format);
      std::printf("scrape, %-35s %6.1f ms (%.1f of CPU)  %.1f MB\n",
                  format == toolway::monitoring::Exposition::kOpenMetrics ? "OpenMetrics"
                                                                          : "Prometheus text",
                  ms_since(begin), cpu_ms() - cpu, static_cast<double>(text.size()) / 1e6);
    }
  }
  auto& histogram = metrics->histogram(toolway::monitoring::kRun,
                                       {.tool = "farm.some_tool_name_1", .pool = "native"});
  auto& counter = metrics->counter(toolway::monitoring::kReconnects);
  const auto sampled = toolway::TraceContext::root(true);
  const auto unsampled = toolway::TraceContext::root(false);
  per_observation("counter", [&](int) { counter.add(); });
  per_observation("histogram",
                  [&](int i) { histogram.observe(std::chrono::microseconds(i % 4096)); });
  per_observation("histogram, trace not sampled", [&](int i) {
    histogram.observe(std::chrono::microseconds(i % 4096), unsampled);
  });
  per_observation("histogram, trace sampled",
                  [&](int i) { histogram.observe(std::chrono::microseconds(i % 4096), sampled); });
  by_two_threads("histogram, two threads on one",
                 [&](int i) { histogram.observe(std::chrono::microseconds(i % 4096)); });
  by_two_threads("counter, two threads on one", [&](int) { counter.add(); });
  per_observation("looking up a counter of tool, pool, outcome", [&](int) {
    metrics
        ->counter(toolway::monitoring::kCallsCompleted,
                  {.tool = "farm.some_tool_name_7", .pool = "native", .outcome = "succeeded"})
        .add();
  });
}
