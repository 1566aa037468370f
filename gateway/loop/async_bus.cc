#include "gateway/loop/async_bus.h"

#include "base/try.h"
#include "gateway/loop/task_group.h"
#include "proto/subjects.h"

namespace toolway::gateway::loop {

AsyncBus::AsyncBus(bus::Bus& bus, std::shared_ptr<IoPost> io_post)
    : bus_(bus),
      io_post_(std::move(io_post)),
      sessions_(bus, std::string(proto::kSessionsBucket)),
      keys_(bus, std::string(proto::kIdempotencyBucket)),
      events_end_(io_post_->executor(), [this] { return ask_events_end(); }) {}

Task<Result<EventsEnd>> AsyncBus::ask_events_end() {
  TaskGroup asked(io_post_->executor());
  const auto streams = asked.start(stream_state(proto::kEventsStream));
  const auto collectors = asked.start(collector_state(proto::kEventsStream));
  co_await asked.wait();
  if (!*streams || !*collectors)
    co_return fail(ErrorCode::kInternal, "a question to the bus was lost");
  auto& stream = **streams;
  auto& collector = **collectors;
  CO_RETURN_IF_ERROR(stream);
  EventsEnd end{.stream = std::move(*stream)};
  if (collector) {
    end.recorded = collector->ack_floor;
  } else if (collector.error().code != ErrorCode::kNotFound) {
    co_return fail(std::move(collector.error()));
  }
  co_return end;
}

Task<Result<bus::PubAck>> AsyncBus::publish(bus::Publication publication) {
  auto start = [this, publication = std::move(publication)](auto callback) mutable {
    bus_.publish(std::move(publication), std::move(callback));
  };
  return await_callback<bus::PubAck>(io_post_, std::move(start));
}

Task<Result<bus::StoredMessage>> AsyncBus::last_message(std::string_view stream,
                                                        std::string subject, bus::ReadFrom from) {
  auto start = [this, stream, from, subject = std::move(subject)](auto callback) mutable {
    bus_.last_message(stream, std::move(subject), from, std::move(callback));
  };
  return await_callback<bus::StoredMessage>(io_post_, std::move(start));
}

Task<Result<bus::StoredMessage>> AsyncBus::next_message(std::string_view stream, std::string filter,
                                                        std::uint64_t sequence,
                                                        bus::ReadFrom from) {
  auto start = [this, stream, sequence, from, filter = std::move(filter)](auto callback) mutable {
    bus_.next_message(stream, std::move(filter), sequence, from, std::move(callback));
  };
  return await_callback<bus::StoredMessage>(io_post_, std::move(start));
}

Task<Result<bus::StreamState>> AsyncBus::stream_state(std::string_view stream) {
  auto start = [this, stream](auto callback) { bus_.stream_state(stream, std::move(callback)); };
  return await_callback<bus::StreamState>(io_post_, std::move(start));
}

Task<Result<bus::ConsumerState>> AsyncBus::collector_state(std::string_view stream) {
  return consumer_state(stream, std::string(proto::kCollectorDurable));
}

Task<Result<bus::ConsumerState>> AsyncBus::consumer_state(std::string_view stream,
                                                          std::string durable) {
  auto start = [this, stream, durable = std::move(durable)](auto callback) {
    bus_.consumer_state({std::string(stream), durable}, std::move(callback));
  };
  return await_callback<bus::ConsumerState>(io_post_, std::move(start));
}

Task<Result<std::vector<std::string>>> AsyncBus::durables(std::string_view stream) {
  auto start = [this, stream](auto callback) { bus_.durables(stream, std::move(callback)); };
  return await_callback<std::vector<std::string>>(io_post_, std::move(start));
}

Task<Result<bus::Unrecorded>> AsyncBus::unrecorded(std::string stream, const Clock& clock) {
  auto start = [this, &clock, stream = std::move(stream)](auto callback) {
    bus::measure_unrecorded(bus_, clock, stream, std::move(callback));
  };
  return await_callback<bus::Unrecorded>(io_post_, std::move(start));
}

Task<Result<bus::Entry>> AsyncBus::get_session(std::string key) {
  auto start = [this, key = std::move(key)](auto callback) {
    sessions_.get(key, std::move(callback));
  };
  return await_callback<bus::Entry>(io_post_, std::move(start));
}

Task<Result<std::uint64_t>> AsyncBus::put_session(std::string key, std::string value,
                                                  std::uint64_t revision) {
  auto start = [this, revision, key = std::move(key),
                value = std::move(value)](auto callback) mutable {
    sessions_.put(key, std::move(value), revision, std::move(callback));
  };
  return await_callback<std::uint64_t>(io_post_, std::move(start));
}

Task<Result<bus::Entry>> AsyncBus::get_key(std::string key) {
  auto start = [this, key = std::move(key)](auto callback) { keys_.get(key, std::move(callback)); };
  return await_callback<bus::Entry>(io_post_, std::move(start));
}

Task<Result<std::uint64_t>> AsyncBus::put_key(std::string key, std::string value,
                                              std::uint64_t revision) {
  auto start = [this, revision, key = std::move(key),
                value = std::move(value)](auto callback) mutable {
    keys_.put(key, std::move(value), revision, std::move(callback));
  };
  return await_callback<std::uint64_t>(io_post_, std::move(start));
}

Task<Result<std::string>> AsyncBus::request(std::string subject, std::string payload) {
  auto start = [this, subject = std::move(subject),
                payload = std::move(payload)](auto callback) mutable {
    bus_.request(std::move(subject), std::move(payload), std::move(callback));
  };
  return await_callback<std::string>(io_post_, std::move(start));
}

}  // namespace toolway::gateway::loop
