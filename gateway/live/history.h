#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/wire/event_id.h"

namespace toolway::gateway {

/// Whose events are read: a session's, or one call's.
struct EventScope {
  SessionKey session;
  std::optional<CallId> call;
  /// For a session's events: whose session, and its name. Following it counts as using it.
  std::string user_id{};
  std::string session_id{};
};

/// Reads recorded events in order and without gaps: from the store as far as
/// the collectors have acknowledged everything, from the stream above that, or all of it
/// from the stream when the store does not answer and the stream still has it.
class History {
 public:
  History(AsyncBus& bus, AsyncStore& store, EventScope scope, EventPosition after);

  /// Asks where the stream and the collectors are. Errors: the bus's, and kInvalidCursor
  /// when `after` lies in a life of the stream that has not begun.
  Task<Result<void>> begin();

  /// The next events up to `stream_end`, within `limit`, heartbeats of the stream included;
  /// empty: there are no more.
  Task<Result<persistence::Page<persistence::RecordedEvent>>> next(persistence::PageLimit limit);

  /// The stream's last message, and its life, when `begin` asked.
  EventPosition stream_end() const { return end_; }

 private:
  Task<Result<persistence::Page<persistence::RecordedEvent>>> from_store(persistence::PageLimit limit);
  Task<Result<persistence::Page<persistence::RecordedEvent>>> from_stream(persistence::PageLimit limit);

  enum class Source { kStore, kStream };
  AsyncBus& bus_;
  AsyncStore& store_;
  EventScope scope_;
  EventPosition at_;     // everything up to here was read
  EventPosition floor_;  // everything up to here is in the store, or nowhere
  EventPosition end_;
  std::uint64_t first_ = 0;  // the stream's first message
  Source source_ = Source::kStore;
};

}  // namespace toolway::gateway
