#include "tests/chaos/jetstream_watch.h"

#include "bus/answer.h"
#include "bus/jetstream_bus.h"
#include "proto/subjects.h"

namespace toolway::chaos {

using Steady = std::chrono::steady_clock;

Result<std::unique_ptr<JetStreamWatch>> JetStreamWatch::start(const std::string& url) {
  auto bus = bus::connect_jetstream({.url = url, .name = "toolway-chaos-watch"});
  if (!bus) return fail(bus.error());
  return std::unique_ptr<JetStreamWatch>(new JetStreamWatch(std::move(*bus)));
}

JetStreamWatch::JetStreamWatch(std::unique_ptr<bus::Bus> bus)
    : bus_(std::move(bus)),
      answered_(Steady::now()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Steady::duration JetStreamWatch::silent_for() const { return Steady::now() - answered_.load(); }

void JetStreamWatch::forgive() { answered_ = Steady::now(); }

void JetStreamWatch::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, stop, std::chrono::seconds(1),
                           [&stop] { return stop.stop_requested(); })) {
    lock.unlock();
    bool both = true;
    for (const auto stream : {proto::kCallsStream, proto::kEventsStream}) {
      both = both && bus::answer_of<bus::StreamState>(
                         [&](auto handler) { bus_->stream_state(stream, std::move(handler)); });
    }
    if (both) answered_ = Steady::now();
    lock.lock();
  }
}

}  // namespace toolway::chaos
