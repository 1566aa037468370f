#include "gateway/live_order.h"

namespace toolway::gateway {

void LiveOrder::hold() { begun_ = false; }

void LiveOrder::begin_after(std::uint64_t last) {
  begun_ = true;
  anew_ = false;
  next_ = last + 1;
  waiting_.erase(waiting_.begin(), waiting_.lower_bound(next_));
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
    // Left to the record, or a stream that begins anew.
    anew_ = anew_ || sequence + kMostWaiting < next_;
    return;
  }
  waiting_.try_emplace(sequence, Message{std::string(subject), std::string(payload)});
  // While nobody says where to begin, the oldest are in the record by the time somebody does.
  if (!begun_ && waiting_.size() > kMostWaiting) waiting_.erase(waiting_.begin());
}

void LiveOrder::hand_on() {
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    const auto message = waiting_.extract(waiting_.begin());
    handler_(message.mapped().subject, message.mapped().payload, next_);
    ++next_;
  }
}

}  // namespace toolway::gateway
