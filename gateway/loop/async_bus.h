#pragma once

#include <memory>
#include <string>

#include "bus/bus.h"
#include "bus/key_value.h"
#include "bus/unrecorded.h"
#include "gateway/loop/coalesced.h"
#include "gateway/loop/io_post.h"

namespace toolway::gateway::loop {

/// How far stream EVENTS goes, and how far it is recorded.
struct EventsEnd {
  bus::StreamState stream;
  std::uint64_t recorded = 0;  ///< everything up to here
};

/// The bus, awaitable. On the io_context's thread. Errors as the bus's, and
/// kShuttingDown.
class AsyncBus {
 public:
  AsyncBus(bus::Bus& bus, std::shared_ptr<IoPost> io_post);

  Task<Result<bus::PubAck>> publish(bus::Publication publication);
  /// An answer from any replica informs; a decision after a refusal needs the leader's.
  Task<Result<bus::StoredMessage>> last_message(std::string_view stream, std::string subject,
                                                bus::ReadFrom from = bus::ReadFrom::kAnyReplica);
  Task<Result<bus::StoredMessage>> next_message(std::string_view stream, std::string filter,
                                                std::uint64_t sequence, bus::ReadFrom from);
  Task<Result<bus::StreamState>> stream_state(std::string_view stream);
  Task<Result<bus::ConsumerState>> collector_state(std::string_view stream);
  Task<Result<bus::ConsumerState>> consumer_state(std::string_view stream, std::string durable);
  Task<Result<std::vector<std::string>>> durables(std::string_view stream);
  bus::RecordingMeter recording_meter(std::string_view stream, const Clock& clock) {
    return {bus_, clock, std::string(stream)};
  }
  Task<Result<bus::Unrecorded>> unrecorded(bus::RecordingMeter& meter);
  /// Asked once for all that ask at the same time.
  Task<Result<EventsEnd>> events_end() { return events_end_.ask(); }
  Task<Result<bus::Entry>> get_session(std::string key);
  Task<Result<std::uint64_t>> put_session(std::string key, std::string value,
                                          std::uint64_t revision);
  /// A record of the bucket `idempotency`. Errors: as bus::KeyValue's.
  Task<Result<bus::Entry>> get_key(std::string key);
  Task<Result<std::uint64_t>> put_key(std::string key, std::string value, std::uint64_t revision);
  /// An entry of the bucket `switches`. Errors: likewise.
  Task<Result<bus::Entry>> get_switch(std::string key);
  Task<Result<std::uint64_t>> put_switch(std::string key, std::string value,
                                         std::uint64_t revision);
  /// An entry of the bucket `limits`. Errors: likewise.
  Task<Result<bus::Entry>> get_limit(std::string key);
  Task<Result<std::uint64_t>> put_limit(std::string key, std::string value, std::uint64_t revision);
  /// An entry of the bucket `mcp`. Errors: likewise.
  Task<Result<bus::Entry>> get_mcp(std::string key);
  Task<Result<std::uint64_t>> put_mcp(std::string key, std::string value, std::uint64_t revision);
  /// An entry of the bucket `mcp_requests`. Errors: likewise.
  Task<Result<bus::Entry>> get_mcp_request(std::string key);
  Task<Result<std::uint64_t>> put_mcp_request(std::string key, std::string value,
                                              std::uint64_t revision);
  /// Asks the processes that serve `subject`; the first answer's text.
  Task<Result<std::string>> request(std::string subject, std::string payload);
  bool connected() const { return bus_.connection() == bus::Connection::kConnected; }

 private:
  Task<Result<EventsEnd>> ask_events_end();
  bus::Bus& bus_;
  std::shared_ptr<IoPost> io_post_;
  bus::KeyValue sessions_;
  bus::KeyValue keys_;
  bus::KeyValue switches_;
  bus::KeyValue limits_;
  bus::KeyValue mcp_;
  bus::KeyValue mcp_requests_;
  Coalesced<EventsEnd> events_end_;
};

}  // namespace toolway::gateway::loop
