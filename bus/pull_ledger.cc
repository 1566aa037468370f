#include "bus/pull_ledger.h"

#include <algorithm>

namespace toolway::bus {
namespace {

/// By then the server would have mentioned a request that it still has.
constexpr std::chrono::milliseconds kSilence{2500};
/// Past its expiry, a request's last status may still be on its way.
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::chrono::milliseconds kRefusedPause{250};

}  // namespace

void PullLedger::allow(std::size_t count) {
  unasked_ += count;
  kept_ = 0;
}

std::size_t PullLedger::withdraw(std::size_t count) {
  const std::size_t taken = std::min(count, unasked_);
  unasked_ -= taken;
  kept_ = count - taken;
  return taken;
}

std::optional<PullLedger::Ask> PullLedger::next(MonotonicTime now) {
  const std::size_t more = unasked_ - std::min(unasked_, kept_);
  // Few large requests, but never one too late: while something is still
  // asked for, wait until a quarter of all that may come can be asked for at once.
  const bool worth_it = more > 0 && (asked_ == 0 || more * 4 >= asked_ + more);
  if (!worth_it || now < not_before_) return std::nullopt;
  if (requests_.empty()) last_heard_ = now;
  const Ask ask{++last_id_, more};
  requests_.push_back({ask.id, ask.batch, now + kExpires + kGrace});
  asked_ += more;
  unasked_ -= more;
  return ask;
}

bool PullLedger::message(MonotonicTime now) {
  last_heard_ = now;
  if (asked_ > 0) {
    --asked_;
    if (asked_ == 0) requests_.clear();  // all of them are served
    return true;
  }
  if (unasked_ > 0) {
    --unasked_;
    return true;
  }
  return false;
}

void PullLedger::ended(std::uint64_t id, std::optional<std::size_t> left_over, Ending ending,
                       MonotonicTime now) {
  last_heard_ = now;
  if (ending == Ending::kRefused) not_before_ = now + kRefusedPause;
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [id](const Request& request) { return request.id == id; });
  if (found == requests_.end()) return;  // of before a reconnect, or given up
  const std::size_t returned = std::min({left_over.value_or(0), found->batch, asked_});
  requests_.erase(found);
  asked_ -= returned;
  unasked_ += returned;
  clamp();
}

void PullLedger::tick(MonotonicTime now) {
  if (!requests_.empty() && now - last_heard_ > kSilence) {
    forget();
    return;
  }
  while (!requests_.empty() && requests_.front().deadline <= now) requests_.pop_front();
  clamp();
}

void PullLedger::forget() {
  requests_.clear();
  clamp();
  not_before_ = {};
}

void PullLedger::clamp() {
  std::size_t most = 0;
  for (const Request& request : requests_) most += request.batch;
  if (asked_ > most) {
    unasked_ += asked_ - most;
    asked_ = most;
  }
}

}  // namespace toolway::bus
