#include "bus/bus.h"

namespace toolway::bus {

void Delivery::ack() { bus_->settle(reply_, {SettleKind::kAck}); }
void Delivery::nak(std::chrono::milliseconds delay) {
  bus_->settle(reply_, {SettleKind::kNak, delay});
}
void Delivery::in_progress() { bus_->settle(reply_, {SettleKind::kInProgress}); }
void Delivery::term() { bus_->settle(reply_, {SettleKind::kTerm}); }

}  // namespace toolway::bus
