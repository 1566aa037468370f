#include "cli/bench/figures/load_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace toolway::cli::bench::figures {

float percentile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto wanted =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
  const auto rank = std::clamp<std::size_t>(wanted, 1, values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank];
}

void add_shares(Figures& figures, const std::string& prefix, std::vector<float>& values) {
  for (const auto& [name, share] : kShares) {
    // Nothing has no percentile, and no bound on one holds.
    figures[prefix + name] = values.empty() ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(percentile(values, share));
  }
}

LoadRecord::Second& LoadRecord::second(double at) {
  const auto index = static_cast<std::size_t>(std::max(at, 0.0));
  if (seconds_.size() <= index) seconds_.resize(index + 1);
  return seconds_[index];
}

void LoadRecord::asked(double at, unsigned calls) { second(at).asked += calls; }
void LoadRecord::completed(double at, const CallTimes& times) { second(at).calls.push_back(times); }

void LoadRecord::note(const std::string& why) {
  if (first_error_.empty()) first_error_ = why;
}

void LoadRecord::refused(std::uint64_t calls, const std::string& why) {
  refused_ += calls;
  note(why);
}

void LoadRecord::failed(const std::string& why) {
  ++failed_;
  note(why);
}

void LoadRecord::lost(std::uint64_t calls, const std::string& why) {
  lost_ += calls;
  note(why);
}

void LoadRecord::repeated(std::uint64_t times, const std::string& what) {
  repeats_ += times;
  note(what);
}

void LoadRecord::add(const LoadRecord& other) {
  if (seconds_.size() < other.seconds_.size()) seconds_.resize(other.seconds_.size());
  for (std::size_t i = 0; i < other.seconds_.size(); ++i) {
    const auto& from = other.seconds_[i];
    seconds_[i].asked += from.asked;
    seconds_[i].calls.insert(seconds_[i].calls.end(), from.calls.begin(), from.calls.end());
  }
  if (first_error_.empty()) first_error_ = other.first_error_;
  refused_ += other.refused_;
  failed_ += other.failed_;
  lost_ += other.lost_;
  repeats_ += other.repeats_;
  retries_ += other.retries_;
}

Figures LoadRecord::figures(double seconds) const {
  std::uint64_t asked = 0;
  std::uint64_t completed = 0;
  for (const auto& second : seconds_) {
    asked += second.asked;
    completed += second.calls.size();
  }
  Figures figures;
  const auto times = [&](const std::string& prefix, float CallTimes::* of) {
    std::vector<float> values;
    values.reserve(completed);
    for (const auto& second : seconds_)
      for (const auto& call : second.calls) values.push_back(call.*of);
    add_shares(figures, prefix, values);
  };
  times("", &CallTimes::completion);
  times("accepted.", &CallTimes::accepted);
  times("first_event.", &CallTimes::first_event);
  figures["calls"] = static_cast<double>(asked);
  figures["calls_per_s"] = seconds > 0 ? static_cast<double>(completed) / seconds : 0;
  figures["failed"] = static_cast<double>(failed_);
  figures["refused"] = static_cast<double>(refused_);
  figures["lost"] = static_cast<double>(lost_);
  figures["repeats"] = static_cast<double>(repeats_);
  figures["retries"] = static_cast<double>(retries_);
  figures["error_rate"] = asked == 0 ? 0
                                     : 100.0 * static_cast<double>(failed_ + refused_ + lost_) /
                                           static_cast<double>(asked);
  return figures;
}

}  // namespace toolway::cli::bench::figures
