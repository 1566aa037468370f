#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toolway::cli::bench::load {

/// When a worker was seen to start a call, in seconds from the end of the warm-up.
struct CallStart {
  double at = 0;
  std::size_t worker = 0;  ///< index into the ids that were seen, in that order
};

/// When the attempts of a group's calls were seen to start, and what became of calls whose worker
/// was killed. Times in seconds from the end of the warm-up. Pure.
class AttemptTimes {
 public:
  void started(std::string_view worker, double at) {
    if (worker.empty()) return;
    const auto [known, fresh] = workers_.try_emplace(std::string(worker), workers_.size());
    starts_.push_back({at, known->second});
  }
  void started_again(double at) { again_.push_back(at); }
  void ended_unknown(double at) { unknown_.push_back(at); }

  const std::vector<CallStart>& starts() const { return starts_; }
  /// When later attempts started.
  const std::vector<double>& again() const { return again_; }
  /// When calls of `kRunsOnceTool` ended as `unknown`. Only a killed worker explains one.
  const std::vector<double>& unknown() const { return unknown_; }

 private:
  std::map<std::string, std::size_t, std::less<>> workers_;
  std::vector<CallStart> starts_;
  std::vector<double> again_;
  std::vector<double> unknown_;
};

}  // namespace toolway::cli::bench::load
