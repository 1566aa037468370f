#include "gateway/loop/async_bus.h"

#include <functional>

#include "base/try.h"
#include "gateway/loop/task_group.h"
#include "proto/mcp_buckets.h"
#include "proto/subjects.h"

namespace toolway::gateway::loop {
namespace {

/// Awaits `of.function(arguments…, callback)`, and keeps the arguments until it is called.
template <typename T, typename Of, typename Function, typename... Arguments>
Task<Result<T>> answer_of(const std::shared_ptr<IoPost>& io_post, Of& of, Function function,
                          Arguments... arguments) {
  auto start = [&of, function, ... arguments = std::move(arguments)](auto callback) mutable {
    std::invoke(function, of, std::move(arguments)..., std::move(callback));
  };
  return await_callback<T>(io_post, std::move(start));
}

}  // namespace

AsyncBus::AsyncBus(bus::Bus& bus, std::shared_ptr<IoPost> io_post)
    : bus_(bus),
      io_post_(std::move(io_post)),
      sessions_(bus, std::string(proto::kSessionsBucket)),
      keys_(bus, std::string(proto::kIdempotencyBucket)),
      switches_(bus, std::string(proto::kSwitchesBucket)),
      limits_(bus, std::string(proto::kLimitsBucket)),
      mcp_(bus, std::string(proto::kMcpBucket)),
      mcp_requests_(bus, std::string(proto::kMcpRequestsBucket)),
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
  return answer_of<bus::PubAck>(io_post_, bus_, &bus::Bus::publish, std::move(publication));
}

Task<Result<bus::StoredMessage>> AsyncBus::last_message(std::string_view stream,
                                                        std::string subject, bus::ReadFrom from) {
  return answer_of<bus::StoredMessage>(io_post_, bus_, &bus::Bus::last_message, stream,
                                       std::move(subject), from);
}

Task<Result<bus::StoredMessage>> AsyncBus::next_message(std::string_view stream, std::string filter,
                                                        std::uint64_t sequence,
                                                        bus::ReadFrom from) {
  return answer_of<bus::StoredMessage>(io_post_, bus_, &bus::Bus::next_message, stream,
                                       std::move(filter), sequence, from);
}

Task<Result<bus::StreamState>> AsyncBus::stream_state(std::string_view stream) {
  return answer_of<bus::StreamState>(io_post_, bus_, &bus::Bus::stream_state, stream);
}

Task<Result<bus::ConsumerState>> AsyncBus::collector_state(std::string_view stream) {
  return consumer_state(stream, std::string(proto::kCollectorDurable));
}

Task<Result<bus::ConsumerState>> AsyncBus::consumer_state(std::string_view stream,
                                                          std::string durable) {
  return answer_of<bus::ConsumerState>(io_post_, bus_, &bus::Bus::consumer_state,
                                       bus::Durable{std::string(stream), std::move(durable)});
}

Task<Result<std::vector<std::string>>> AsyncBus::durables(std::string_view stream) {
  return answer_of<std::vector<std::string>>(io_post_, bus_, &bus::Bus::durables, stream);
}

Task<Result<bus::Unrecorded>> AsyncBus::unrecorded(bus::RecordingMeter& meter) {
  return answer_of<bus::Unrecorded>(io_post_, meter, &bus::RecordingMeter::measure);
}

Task<Result<bus::Entry>> AsyncBus::get_session(std::string key) {
  return answer_of<bus::Entry>(io_post_, sessions_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_session(std::string key, std::string value,
                                                  std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, sessions_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<bus::Entry>> AsyncBus::get_key(std::string key) {
  return answer_of<bus::Entry>(io_post_, keys_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_key(std::string key, std::string value,
                                              std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, keys_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<bus::Entry>> AsyncBus::get_switch(std::string key) {
  return answer_of<bus::Entry>(io_post_, switches_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_switch(std::string key, std::string value,
                                                 std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, switches_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<bus::Entry>> AsyncBus::get_limit(std::string key) {
  return answer_of<bus::Entry>(io_post_, limits_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_limit(std::string key, std::string value,
                                                std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, limits_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<bus::Entry>> AsyncBus::get_mcp(std::string key) {
  return answer_of<bus::Entry>(io_post_, mcp_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_mcp(std::string key, std::string value,
                                              std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, mcp_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<bus::Entry>> AsyncBus::get_mcp_request(std::string key) {
  return answer_of<bus::Entry>(io_post_, mcp_requests_, &bus::KeyValue::get, std::move(key));
}

Task<Result<std::uint64_t>> AsyncBus::put_mcp_request(std::string key, std::string value,
                                                      std::uint64_t revision) {
  return answer_of<std::uint64_t>(io_post_, mcp_requests_, &bus::KeyValue::put, std::move(key),
                                  std::move(value), revision);
}

Task<Result<std::string>> AsyncBus::request(std::string subject, std::string payload) {
  return answer_of<std::string>(io_post_, bus_, &bus::Bus::request, std::move(subject),
                                std::move(payload));
}

}  // namespace toolway::gateway::loop
