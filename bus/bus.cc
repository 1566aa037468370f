#include "bus/bus.h"

#include <utility>

namespace toolway::bus {

void Delivery::ack() { bus_->settle(reply_, {SettleKind::kAck}); }
void Delivery::nak(std::chrono::milliseconds delay) {
  bus_->settle(reply_, {SettleKind::kNak, delay});
}
void Delivery::in_progress() { bus_->settle(reply_, {SettleKind::kInProgress}); }
void Delivery::term() { bus_->settle(reply_, {SettleKind::kTerm}); }

void Request::answer(std::string text) {
  if (!reply_.empty()) bus_->tell(std::exchange(reply_, {}), std::move(text));
}

}  // namespace toolway::bus
