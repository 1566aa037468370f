#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "gateway/loop/async_bus.h"
#include "gateway/mcp/subscriptions.h"

namespace toolway::gateway::mcp {

/// What is known of a client's session besides its sealed id.
struct SessionMark {
  bool ended = false;      ///< by its client: the id counts no more
  std::string level = {};  ///< the least severe log that the client wants; empty: it has not said
  Subscriptions resources = {};
};
using SessionMarkPtr = std::shared_ptr<const SessionMark>;

/// The marks of sessions, in the bucket `mcp`: few have one. What was read counts for a second, so
/// that a busy session asks the bus little, and one that was ended is gone everywhere soon. On the
/// io_context's thread.
class SessionMarks {
 public:
  SessionMarks(loop::AsyncBus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}

  // `session`: the id, as its client sends it. Errors of all: the bus's.

  /// Never null; the same pointer as long as nothing has changed.
  loop::Task<Result<SessionMarkPtr>> of(std::string session);
  loop::Task<Result<void>> end(std::string session);
  /// Of one that has not ended. Errors: kNotFound as well.
  loop::Task<Result<void>> set_level(std::string session, std::string level);
  /// Likewise. Errors: kInvalidRequest when there is no room for it (`add_subscription`).
  loop::Task<Result<void>> subscribe(std::string session, Subscription to);
  loop::Task<Result<void>> unsubscribe(std::string session, std::string uri);

 private:
  struct Known {
    SessionMarkPtr mark;
    std::uint64_t revision = 0;  ///< of its entry; 0: there is none
    MonotonicTime until;
  };
  /// Whether it has changed the mark. Errors: why it must not be.
  using Change = std::function<Result<bool>(SessionMark&)>;
  SessionMarkPtr remember(const std::string& key, Known known);
  /// As the bus has it now; `until` is not set.
  loop::Task<Result<Known>> read(std::string key);
  /// Changes the newest one, again each time another writer was faster.
  loop::Task<Result<void>> change(std::string session, Change change);

  loop::AsyncBus& bus_;
  const Clock& clock_;
  std::unordered_map<std::string, Known> known_;
  std::size_t bytes_ = 0;  ///< of the URIs in it
};

/// Notes which call a request of a session began, for as long as it may be cancelled: in the bucket
/// `mcp_requests`. When it cannot be noted, a cancellation does not find the call.
loop::Task<void> note_request(loop::AsyncBus& bus, std::string session, std::string request_id,
                              std::string call_id);

/// The call that a request began; empty: it is not known. Errors: the bus's.
loop::Task<Result<std::string>> call_of_request(loop::AsyncBus& bus, std::string session,
                                                std::string request_id);

}  // namespace toolway::gateway::mcp
