#include "cli/bench/load/schedule.h"

#include <algorithm>
#include <cmath>

namespace toolway::cli::bench::load {

Schedule::Schedule(const scenario::LoadGroup& group, double warm_up) {
  const double per = group.pace == scenario::Pace::kRate ? group.batch : 1.0;
  const auto add = [&](const scenario::Stage& stage) {
    const double before = parts_.empty() ? 0 : parts_.back().before + parts_.back().requests();
    parts_.push_back({seconds_, stage.seconds, stage.from / per, stage.to / per, before});
    seconds_ += stage.seconds;
  };
  if (warm_up > 0 && !group.stages.empty()) {
    const double pace = group.stages.front().from;
    add({.seconds = warm_up, .from = pace, .to = pace});
  }
  for (const auto& stage : group.stages) add(stage);
}

void Schedule::last_until(double t) {
  if (t <= seconds_ || parts_.empty()) return;
  const auto& last = parts_.back();
  const double more =
      t - seconds_ + 1;  // a second beyond it, so that calls of this rarely add a part
  parts_.push_back({seconds_, more, last.to, last.to, last.before + last.requests()});
  seconds_ += more;
}

double Schedule::due(std::uint64_t number) const {
  const auto wanted = static_cast<double>(number);
  for (const auto& part : parts_) {
    const double left = wanted - part.before;
    if (left >= part.requests()) continue;
    const double slope = (part.to - part.from) / part.seconds;
    // from·t + slope·t²/2 = left
    if (std::abs(slope) < 1e-9) return part.begin + left / part.from;
    const double root = std::sqrt(std::max(0.0, part.from * part.from + 2 * slope * left));
    return part.begin + (root - part.from) / slope;
  }
  return -1;
}

unsigned Schedule::at_once(double t) const {
  for (const auto& part : parts_) {
    if (t >= part.begin + part.seconds) continue;
    return static_cast<unsigned>(
        std::lround(part.from + (part.to - part.from) * (t - part.begin) / part.seconds));
  }
  return 0;
}

unsigned Schedule::most_at_once() const {
  double most = 0;
  for (const auto& part : parts_) most = std::max({most, part.from, part.to});
  return static_cast<unsigned>(std::lround(most));
}

}  // namespace toolway::cli::bench::load
