#include "cli/bench/run/take_up.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

namespace toolway::cli::bench::run {

std::optional<double> take_up_seconds(const std::vector<load::CallStart>& starts, double scaled_at,
                                      unsigned workers) {
  constexpr double kWindow = 0.5;
  std::deque<load::CallStart> window;
  std::map<std::size_t, std::size_t> by_worker;
  for (const auto& start : starts) {
    if (start.at < scaled_at) continue;
    window.push_back(start);
    ++by_worker[start.worker];
    for (; window.front().at < start.at - kWindow; window.pop_front())
      if (auto found = by_worker.find(window.front().worker); --found->second == 0)
        by_worker.erase(found);
    const double share = static_cast<double>(window.size()) / workers;
    const auto busy = std::count_if(by_worker.begin(), by_worker.end(), [share](const auto& entry) {
      return static_cast<double>(entry.second) >= share / 2;
    });
    // Fewer than two calls each say nothing about shares.
    if (share >= 2 && static_cast<unsigned>(busy) >= workers) return start.at - scaled_at;
  }
  return std::nullopt;
}

std::vector<float> takeover_times(const std::vector<double>& killed,
                                  const std::vector<double>& again) {
  std::vector<float> times;
  times.reserve(again.size());
  for (const double at : again)
    if (const auto after = std::upper_bound(killed.begin(), killed.end(), at);
        after != killed.begin())
      times.push_back(static_cast<float>((at - *std::prev(after)) * 1000));
  return times;
}

std::vector<float> unknown_times(const std::vector<double>& killed,
                                 const std::vector<double>& unknown, figures::LoadRecord& record) {
  auto times = takeover_times(killed, unknown);
  for (auto explained = times.size(); explained < unknown.size(); ++explained)
    record.failed("a call ended as unknown, and no worker had been killed");
  return times;
}

}  // namespace toolway::cli::bench::run
