#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gateway/loop/async_bus.h"
#include "gateway/sessions/session.h"
#include "gateway/sessions/user_sessions.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::sessions {

/// Counts each user's sessions in the bucket, and refuses what would be too many. Told of each
/// record that the gateway sees; whenever some may have been missed, it reads the whole bucket, and
/// counts what it counted before until that is done. On the io_context's thread.
class CountedSessions {
 public:
  CountedSessions(loop::AsyncBus& bus, std::shared_ptr<loop::IoPost> inbox, const Clock& clock,
                  SessionCaps caps)
      : bus_(bus), inbox_(std::move(inbox)), clock_(clock), users_(caps) {}

  /// A session that is not there yet, and takes `bytes` in the bucket. Errors: too_many_sessions.
  wire::HttpResult<void> admit_new(const std::string& user, std::size_t bytes) const;
  /// One that is closed. Errors: likewise.
  wire::HttpResult<void> admit_restored(const std::string& user) const;
  /// A write to one whose entry in the bucket has this revision; 0: it has none, and gets one.
  /// Errors: likewise.
  wire::HttpResult<void> admit_entry(const std::string& user, std::uint64_t revision);
  /// While it exists, a session that this gateway is just opening counts, too.
  BeginningSession begin(const std::string& user, std::size_t bytes) {
    return {users_, user, bytes};
  }
  /// The newest that is known of a session; `created`: it may be new.
  void count(const Session& session, bool created);
  /// `newer`: what the gateway has of the session of such a record, if that is newer than this
  /// revision; otherwise null. Returns at once.
  using Newer = std::function<SessionPtr(const v1::SessionRecord&, std::uint64_t revision)>;
  void start_recount(Newer newer);
  /// Forgets users that have none.
  void sweep(MonotonicTime now) { users_.sweep(now); }
  /// Memory taken, estimated.
  std::size_t bytes() const { return users_.bytes(); }

 private:
  loop::Task<void> recount(Newer newer, std::uint64_t turn);

  loop::AsyncBus& bus_;
  const std::shared_ptr<loop::IoPost> inbox_;
  const Clock& clock_;
  UserSessions users_;
  std::uint64_t turn_ = 0;
};

}  // namespace toolway::gateway::sessions
