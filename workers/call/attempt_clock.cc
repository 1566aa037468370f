#include "workers/call/attempt_clock.h"

#include <algorithm>

#include "proto/approvals.h"
#include "workers/log/completion.h"

namespace toolway::workers::call {

AttemptClock::AttemptClock(const v1::CallRequest& request, const WorkerOptions& options,
                           WallTime wall, MonotonicTime now)
    : options_(options),
      deadlines_(request.limits(), from_unix_us(proto::clocks_began_us(request)), wall, now) {}

void AttemptClock::started(log::CallLog::StartEvent event, MonotonicTime now) {
  deadlines_.started(now);
  alive_at_ = now + options_.alive_interval;
  if (event == log::CallLog::StartEvent::kHeldBack) merge_until_ = now + options_.merge_window;
}

v1::Completed AttemptClock::timed_out(log::LimitKind limit) const {
  return log::timed_out(limit, deadlines_.allowed(limit));
}

bool AttemptClock::past_limit(const Progress& progress, MonotonicTime now) {
  // A tool that waits for us to take its reports is not silent.
  if (progress.reports_wait) deadlines_.progressed(now);
  if (progress.chunks_stored && *progress.chunks_stored != chunks_seen_) {
    chunks_seen_ = *progress.chunks_stored;
    deadlines_.progressed(now);
  }
  exceeded_ = deadlines_.exceeded(now);
  return exceeded_.has_value();
}

bool AttemptClock::alive_due(MonotonicTime now) {
  if (now < alive_at_) return false;
  alive_at_ = now + options_.alive_interval;
  return true;
}

void AttemptClock::waits(const std::vector<std::string>& keys, MonotonicTime now) {
  deadlines_.waits(now);
  waits_for_.insert(waits_for_.end(), keys.begin(), keys.end());
  parks_at_ = now + options_.park_after;
}

void AttemptClock::waited(const std::vector<std::string>& keys, MonotonicTime now) {
  deadlines_.waited(now);
  for (const auto& key : keys) {
    const auto one = std::ranges::find(waits_for_, key);
    if (one != waits_for_.end()) waits_for_.erase(one);
  }
  parks_at_ = waits_for_.empty() ? MonotonicTime::max() : now + options_.park_after;
}

bool AttemptClock::park_due(MonotonicTime now) {
  if (now < parks_at_) return false;
  parks_at_ = now + options_.park_after;
  return true;
}

bool AttemptClock::start_due(MonotonicTime now) {
  if (now < merge_until_) return false;
  merge_until_ = MonotonicTime::max();
  return true;
}

MonotonicTime AttemptClock::next_event() const { return std::min(alive_at_, merge_until_); }

}  // namespace toolway::workers::call
