#include "gateway/mcp/usual_runs.h"

#include <algorithm>

#include "proto/qualified_name.h"

namespace toolway::gateway::mcp {
namespace {

constexpr double kWeight = 1.0 / 8;  // of the newest run
constexpr double kPollsPerRun = 10;

}  // namespace

void UsualRuns::ended(const v1::CallEvent& end) {
  const auto started = end.completed().started_at_us();
  if (started == 0 || end.time_us() < started) return;
  const double run = static_cast<double>(end.time_us() - started) / 1000;
  const auto name = proto::qualified_name(end.labels());
  const auto known = runs_ms_.find(name);
  if (known != runs_ms_.end()) {
    known->second += (run - known->second) * kWeight;
  } else if (runs_ms_.size() < kMaxTools) {
    runs_ms_.emplace(name, run);
  }
}

std::chrono::milliseconds UsualRuns::poll_interval(const std::string& tool) const {
  const auto known = runs_ms_.find(tool);
  if (known == runs_ms_.end()) return kUnknown;
  const auto share =
      std::min(known->second / kPollsPerRun, static_cast<double>(kMaxInterval.count()));
  return std::max(kMinInterval, std::chrono::milliseconds(static_cast<std::int64_t>(share)));
}

}  // namespace toolway::gateway::mcp
