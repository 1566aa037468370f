#include "tests/simulation/process.h"

namespace toolway::simulation {

void Process::after(Micros delay, std::function<void()> what) {
  around_.world.after(delay, [self = shared_from_this(), what = std::move(what)]() mutable {
    if (!self->alive_) return;
    if (self->paused_) {
      self->waiting_.push_back(std::move(what));
      return;
    }
    self->run(what);
  });
}

void Process::run(const std::function<void()>& what) {
  what();
  if (alive_ && then) then();
}

void Process::wake() {
  if (!paused_) return;
  paused_ = false;
  awake_since_ = around_.world.now();
  for (auto& what : std::exchange(waiting_, {})) after(Micros(0), std::move(what));
}

void Process::die() {
  alive_ = false;
  waiting_.clear();
  on_connection.clear();
  then = nullptr;
}

void Process::set_connected(bool connected) {
  if (connected == connected_) return;
  connected_ = connected;
  if (connected) ++connection_;
  tell(connected ? bus::Connection::kConnected : bus::Connection::kDisconnected);
}

void Process::tell(bus::Connection state) {
  // In the order in which it happened, whatever else is late.
  after(Micros(200'000), [this, state] {
    for (const auto& told : on_connection) told(state);
  });
}

}  // namespace toolway::simulation
