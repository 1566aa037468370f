#include "bus/puller.h"

namespace toolway::bus {

void Delivery::ack() { settle({SettleKind::kAck}); }
void Delivery::nak(std::chrono::milliseconds delay) { settle({SettleKind::kNak, delay}); }
void Delivery::in_progress() { settle({SettleKind::kInProgress}); }
void Delivery::term() { settle({SettleKind::kTerm}); }
void Delivery::settle(Settlement how) {
  if (!reply_.empty()) bus_->settle(reply_, how);
}

}  // namespace toolway::bus
