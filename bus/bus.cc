#include "bus/bus.h"

#include <utility>

namespace toolway::bus {

void Delivery::ack() { settle({SettleKind::kAck}); }
void Delivery::nak(std::chrono::milliseconds delay) { settle({SettleKind::kNak, delay}); }
void Delivery::in_progress() { settle({SettleKind::kInProgress}); }
void Delivery::term() { settle({SettleKind::kTerm}); }
void Delivery::settle(Settlement how) {
  if (!reply_.empty()) bus_->settle(reply_, how);
}

void Request::answer(std::string text) {
  if (!reply_.empty()) bus_->tell(std::exchange(reply_, {}), std::move(text));
}

}  // namespace toolway::bus
