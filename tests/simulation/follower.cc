#include "tests/simulation/follower.h"

#include "bus/subject_filter.h"
#include "proto/subjects.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kMissing{500};  // live_hub.cc
constexpr milliseconds kRetry{200};
constexpr milliseconds kSweep{500};
constexpr seconds kCompare{2};

}  // namespace

Follower::Follower(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
                   const Tables& tables, Reader& reader)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      tables_(tables),
      reader_(reader),
      order_([this](std::string_view subject, std::string_view, std::uint64_t sequence) {
        const std::string stored = "event" + std::string(subject.substr(4));
        if (bus::subject_matches(reader_.session, stored)) buffer_.insert(sequence);
        if (caught_up_) drain();
      }) {}

void Follower::again(Micros delay, void (Follower::*what)()) {
  process_->after(delay, [weak = weak_from_this(), what] {
    if (const auto self = weak.lock()) (*self.*what)();
  });
}

void Follower::begin() {
  order_.hold();
  auto live = bus_.follow(std::string(proto::kLiveFilter),
                          [weak = weak_from_this()](const bus::LiveMessage& message) {
                            const auto self = weak.lock();
                            if (self) self->order_.add(message.subject, message.payload, message.sequence);
                          });
  if (!live) return again(kRetry, &Follower::begin);
  subscription_ = std::move(*live);
  watch_ = bus_.on_connection([weak = weak_from_this()](bus::Connection state) {
    const auto self = weak.lock();
    if (!self) return;
    // What came on both sides of a gap is in the record.
    self->buffer_.clear();
    self->order_.hold();
    if (state != bus::Connection::kDisconnected) self->find_beginning();
  });
  find_beginning();
  sweep();
}

void Follower::find_beginning() {
  caught_up_ = false;
  const std::uint64_t number = ++begin_number_;
  bus_.stream_state(proto::kEventsStream, [weak = weak_from_this(), number](Result<bus::StreamState> state) {
    const auto self = weak.lock();
    if (!self || number != self->begin_number_) return;
    if (!state) return self->again(kRetry, &Follower::find_beginning);
    self->hole_since_ = Micros::max();
    self->order_.begin_after(state->last_sequence);
    self->catch_up();
  });
}

void Follower::catch_up() {
  caught_up_ = false;
  const std::uint64_t number = ++begin_number_;
  auto on_floor = [weak = weak_from_this(), number](std::uint64_t end, Result<bus::ConsumerState> state) {
    const auto self = weak.lock();
    if (!self || number != self->begin_number_) return;
    if (!state) return self->again(kRetry, &Follower::catch_up);
    self->read_store(state->ack_floor, end);
  };
  bus_.stream_state(proto::kEventsStream, [weak = weak_from_this(), number, on_floor](Result<bus::StreamState> state) {
    const auto self = weak.lock();
    if (!self || number != self->begin_number_) return;
    if (!state) return self->again(kRetry, &Follower::catch_up);
    self->bus_.consumer_state({std::string(proto::kEventsStream), std::string(proto::kCollectorDurable)},
                              [on_floor, end = state->last_sequence](Result<bus::ConsumerState> collector) {
                                on_floor(end, std::move(collector));
                              });
  });
}

void Follower::read_store(std::uint64_t floor, std::uint64_t end) {
  const auto& recorded = tables_.events();
  for (auto it = recorded.upper_bound(reader_.at); it != recorded.end() && it->first <= floor; ++it) {
    if (bus::subject_matches(reader_.session, it->second.subject)) show(it->first);
  }
  reader_.at = std::max(reader_.at, floor);
  read_stream(end, bus::ReadFrom::kAnyReplica);
}

void Follower::read_stream(std::uint64_t end, bus::ReadFrom from) {
  if (reader_.at >= end) {
    compared_at_ = around_.world.now();
    caught_up_ = true;
    return drain();
  }
  const std::uint64_t number = begin_number_;
  bus_.next_message(proto::kEventsStream, reader_.session, reader_.at + 1, from,
                    [weak = weak_from_this(), number, end, from](Result<bus::StoredMessage> message) {
                      const auto self = weak.lock();
                      if (!self || number != self->begin_number_) return;
                      if (!message && message.error().code != ErrorCode::kNotFound) {
                        return self->again(kRetry, &Follower::catch_up);
                      }
                      if (!message && from == bus::ReadFrom::kAnyReplica) {
                        return self->read_stream(end, bus::ReadFrom::kLeader);
                      }
                      if (!message || message->sequence > end) {
                        self->caught_up_ = true;
                        self->compared_at_ = self->around_.world.now();
                        return self->drain();
                      }
                      self->show(message->sequence);
                      self->read_stream(end, bus::ReadFrom::kAnyReplica);
                    });
}

void Follower::drain() {
  for (const std::uint64_t sequence : std::exchange(buffer_, {})) {
    show(sequence);
  }
}

void Follower::show(std::uint64_t sequence) {
  if (sequence <= reader_.at) return;
  reader_.at = sequence;
  reader_.shown.push_back(sequence);
}

void Follower::sweep() {
  again(kSweep, &Follower::sweep);
  const Micros now = around_.world.now();
  if (!order_.has_hole()) {
    hole_since_ = Micros::max();
  } else if (hole_since_ == Micros::max()) {
    hole_since_ = now;
  } else if (now - hole_since_ >= kMissing) {
    order_.hold();
    hole_since_ = Micros::max();
    return find_beginning();
  }
  if (caught_up_ && now - compared_at_ >= kCompare) catch_up();
}

}  // namespace toolway::simulation
