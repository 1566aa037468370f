#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "gateway/loop/async_bus.h"

namespace toolway::gateway::mcp {

/// What is known of a client's session besides its sealed id.
struct SessionMark {
  bool ended = false;      ///< by its client: the id counts no more
  std::string level = {};  ///< the least severe log that the client wants; empty: it has not said
};

/// The marks of sessions, in the bucket `mcp`: few have one. What was read counts for a second, so
/// that a busy session asks the bus little, and one that was ended is gone everywhere soon. On the
/// io_context's thread.
class SessionMarks {
 public:
  SessionMarks(loop::AsyncBus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}

  // `session`: the id, as its client sends it. Errors of all: the bus's.

  loop::Task<Result<SessionMark>> of(std::string session);
  loop::Task<Result<void>> end(std::string session);
  /// Of one that has not ended. Errors: kNotFound as well.
  loop::Task<Result<void>> set_level(std::string session, std::string level);

 private:
  struct Known {
    SessionMark mark;
    MonotonicTime until;
  };
  void remember(const std::string& key, const SessionMark& mark);
  /// The mark and the revision of its entry.
  loop::Task<Result<std::pair<SessionMark, std::uint64_t>>> read(std::string key);
  loop::Task<Result<void>> write(std::string session, SessionMark mark);

  loop::AsyncBus& bus_;
  const Clock& clock_;
  std::unordered_map<std::string, Known> known_;
};

/// Notes which call a request of a session began, for as long as it may be cancelled: in the bucket
/// `mcp_requests`. When it cannot be noted, a cancellation does not find the call.
loop::Task<void> note_request(loop::AsyncBus& bus, std::string session, std::string request_id,
                              std::string call_id);

/// The call that a request began; empty: it is not known. Errors: the bus's.
loop::Task<Result<std::string>> call_of_request(loop::AsyncBus& bus, std::string session,
                                                std::string request_id);

}  // namespace toolway::gateway::mcp
