#pragma once

#include <optional>
#include <string>

#include "gateway/live/record_cursor.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/wire/caller.h"

namespace toolway::gateway::live {

/// Whose events are read: a session's, or one call's.
struct EventScope {
  SessionKey session;
  std::optional<CallId> call;
  /// For a session's events: whose session, and its name. Following it counts as using it.
  std::string tenant_id{};
  std::string user_id{};
  std::string session_id{};

  wire::Caller owner() const { return {.tenant_id = tenant_id, .user_id = user_id}; }
};

/// Asks the bus and the store what a `RecordCursor` wants to know about the events of a scope.
class History {
 public:
  History(loop::AsyncBus& bus, loop::AsyncStore& store, EventScope scope);

  /// Where the stream and the collectors are, if that is asked. Errors: the bus's, and
  /// kInvalidCursor.
  loop::Task<Result<void>> ask_end(RecordCursor& cursor);

  /// Reads until a page can be taken. Errors: those of bus and store.
  loop::Task<Result<void>> read_page(RecordCursor& cursor);

 private:
  loop::Task<Result<void>> from_store(RecordCursor& cursor);

  loop::AsyncBus& bus_;
  loop::AsyncStore& store_;
  EventScope scope_;
  const std::string filter_;  ///< of its events
};

}  // namespace toolway::gateway::live
