#include "gateway/live/live_order.h"

namespace toolway::gateway::live {

void LiveOrder::hold() { begun_ = false; }

void LiveOrder::begin_after(std::uint64_t last) {
  begun_ = true;
  anew_ = overflowed_ = false;
  hole_since_.reset();
  next_ = last + 1;
  while (!waiting_.empty() && waiting_.begin()->first < next_) drop_oldest();
  hand_on();
}

void LiveOrder::add(std::string_view subject, std::string_view payload, std::uint64_t sequence) {
  if (begun_ && sequence == next_) {
    handler_(subject, payload, sequence);
    ++next_;
    if (!waiting_.empty()) hand_on();
    return;
  }
  if (begun_ && sequence < next_) {
    // Left to the record, or a stream that begins again.
    anew_ = anew_ || sequence + kMaxWaiting < next_;
    return;
  }
  if (overflowed_) return;
  const auto added =
      waiting_.try_emplace(sequence, Message{std::string(subject), std::string(payload)}).second;
  if (added) waiting_bytes_ += subject.size() + payload.size();
  if (!too_much()) return;
  if (begun_) {
    overflowed_ = true;
    return;
  }
  // Before `begin_after` is called, the oldest may go: by then they are in the record.
  while (too_much()) drop_oldest();
}

bool LiveOrder::lost(MonotonicTime now) {
  if (!has_hole()) {
    hole_since_.reset();
  } else if (!hole_since_) {
    hole_since_ = now;
  }
  return begun_ && (overflowed_ || anew_ || (hole_since_ && now - *hole_since_ >= kHoleTimeout));
}

void LiveOrder::drop_oldest() {
  const auto& message = waiting_.begin()->second;
  waiting_bytes_ -= message.subject.size() + message.payload.size();
  waiting_.erase(waiting_.begin());
}

void LiveOrder::hand_on() {
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    const auto message = waiting_.extract(waiting_.begin());
    waiting_bytes_ -= message.mapped().subject.size() + message.mapped().payload.size();
    handler_(message.mapped().subject, message.mapped().payload, next_);
    ++next_;
  }
}

}  // namespace toolway::gateway::live
