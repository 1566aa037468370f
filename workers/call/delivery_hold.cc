#include "workers/call/delivery_hold.h"

#include <algorithm>

namespace toolway::workers::call {
namespace {

constexpr std::chrono::seconds kExtendRetryDelay{1};

}  // namespace

bool DeliveryHold::extend(MonotonicTime now, bus::Connection connection) {
  if (now < extend_at_) return false;
  if (connection != bus::Connection::kConnected) {
    extend_at_ = now + kExtendRetryDelay;
    return false;
  }
  extended_at_ = now;
  extend_at_ = now + options_.extend_interval;
  return true;
}

WallTime DeliveryHold::server_time() const {
  // The server waited each delay before it delivered the message again.
  return last_.stored_at + given_back_for_ * (std::max<std::uint64_t>(last_.delivery_count, 1) - 1);
}

}  // namespace toolway::workers::call
