#include "bus/nats_reconnector.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "base/contained.h"

namespace toolway::bus {
namespace {

/// Between two attempts, so that all processes of a fleet do not come at once.
std::chrono::milliseconds pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution(100, 200)(random));
}

}  // namespace

NatsReconnector::NatsReconnector(Connect connect, std::function<void()> connected)
    : connect_(std::move(connect)), connected_(std::move(connected)), thread_([this] { run(); }) {}

NatsReconnector::~NatsReconnector() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  told_.notify_all();
  thread_.join();
}

void NatsReconnector::ask(std::vector<std::string> others) {
  {
    const MutexLock lock(mutex_);
    wanted_ = true;
    others_ = std::move(others);
  }
  told_.notify_all();
}

void NatsReconnector::ask_again() {
  {
    const MutexLock lock(mutex_);
    wanted_ = true;
  }
  told_.notify_all();
}

std::shared_ptr<NatsLink> NatsReconnector::take() {
  const MutexLock lock(mutex_);
  return std::exchange(made_, nullptr);
}

void NatsReconnector::run() {
  MutexLock lock(mutex_);
  for (;;) {
    told_.wait(lock, [this]() REQUIRES(mutex_) { return wanted_ || ended_; });
    if (ended_) return;
    lock.unlock();
    contained("an attempt to connect to NATS", [this] { attempt(); });
    lock.lock();
    if (wanted_) told_.wait_for(lock, pause(), [this]() REQUIRES(mutex_) { return ended_; });
  }
}

void NatsReconnector::attempt() {
  std::vector<std::string> others;
  {
    const MutexLock lock(mutex_);
    others = others_;
  }
  auto made = connect_(others);
  if (!made) {
    refusals_ = made.error() == NATS_CONNECTION_AUTH_FAILED ? refusals_ + 1 : 0;
    if (refusals_ < 2) return;
    spdlog::critical("NATS refuses this process: {}", natsStatus_GetText(made.error()));
    std::_Exit(EXIT_FAILURE);
  }
  refusals_ = 0;
  {
    const MutexLock lock(mutex_);
    made_ = std::move(*made);
    wanted_ = false;
  }
  connected_();
}

}  // namespace toolway::bus
