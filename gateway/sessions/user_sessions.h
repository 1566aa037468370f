#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/error.h"

namespace toolway::gateway::sessions {

/// How many sessions one user may have, and how fast new ones may come. 0: no limit.
struct SessionCaps {
  std::uint64_t open = 10'000;     ///< open at once
  std::uint64_t per_second = 200;  ///< new ones, ten seconds' worth of them at once
};

/// The open sessions of each user, and how fast new ones came, learnt from the bucket's changes: so
/// every gateway that follows the bucket counts what all of them opened. Pure bookkeeping, on one
/// thread.
class UserSessions {
 public:
  explicit UserSessions(SessionCaps caps) : caps_(caps) {}

  enum class Verdict { kAdmitted, kTooMany, kTooFast };
  /// Whether a user may open a session that is not there yet.
  Verdict judge_new(const std::string& user, MonotonicTime now) const;
  /// The same for one that exists, and is closed.
  Verdict judge_restored(const std::string& user) const;

  /// It is open from now on; `created`: it is new, too.
  void opened(const std::string& user, bool created, MonotonicTime now);
  /// It is no longer open, or no longer remembered.
  void closed(const std::string& user);
  /// A session that this gateway is just opening, until that is done.
  void begin(const std::string& user) { ++users_[user].beginning; }
  void end(const std::string& user);
  /// Nothing is remembered any longer.
  void forget_all();
  /// Forgets the users that have no session and opened none recently.
  void sweep(MonotonicTime now);
  std::uint64_t open_of(const std::string& user) const;
  std::size_t users() const { return users_.size(); }
  const SessionCaps& caps() const { return caps_; }

 private:
  static constexpr std::uint64_t kBurstSeconds = 10;
  struct User {
    std::uint64_t open = 0;
    std::uint64_t beginning = 0;
    double used = 0;  ///< of the burst, at `at`; refills with time
    MonotonicTime at{};
  };
  double used_at(const User& user, MonotonicTime now) const;

  const SessionCaps caps_;
  std::unordered_map<std::string, User> users_;
};

/// Why a session may not be opened, with the time after which to try again; nothing: it may. Code:
/// too_many_sessions.
std::optional<Error> refuse_session(UserSessions::Verdict verdict, const SessionCaps& caps);

}  // namespace toolway::gateway::sessions
