#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/error.h"
#include "base/ids.h"

namespace toolway::gateway::sessions {

/// How many sessions one user may have, and how fast new ones may come. 0: no limit.
struct SessionCaps {
  std::uint64_t open = 10'000;      ///< open at once
  std::uint64_t open_mib = 64;      ///< what the open ones take in the bucket, an eighth of it
  std::uint64_t per_second = 200;   ///< new ones, ten seconds' worth of them at once
  std::uint64_t per_day = 150'000;  ///< new ones, a day's worth of them at once: each leaves its
                                    ///< name in the bucket when it is closed
};

/// The open sessions of each user, and how fast new ones came, learnt from the bucket's changes: so
/// every gateway that follows the bucket counts what all of them opened. What a gateway forgets of
/// the sessions themselves does not change this. Pure bookkeeping, on one thread.
class UserSessions {
 public:
  explicit UserSessions(SessionCaps caps) : caps_(caps) {}

  enum class Admission { kAdmitted, kTooMany, kTooLarge, kTooFast, kTooManyToday };
  /// Whether a user may open a session that is not there yet, and takes `bytes` in the bucket.
  Admission judge_new(const std::string& user, std::size_t bytes, MonotonicTime now) const;
  /// The same for one that exists, and is closed.
  Admission judge_restored(const std::string& user) const;
  /// Whether the bucket may get another entry of a session that exists.
  Admission judge_entry(const std::string& user, MonotonicTime now) const;

  /// It is open and takes that much room, as far as known; `created`: it is new, too. The same
  /// one may be told often, and counts once.
  void opened(const std::string& user, const SessionKey& key, std::size_t bytes, bool created,
              MonotonicTime now);
  /// It is no longer open. One that was not counted changes nothing.
  void closed(const std::string& user, const SessionKey& key);
  /// A session that this gateway is just opening, until that is done.
  void begin(const std::string& user, std::size_t bytes);
  void end(const std::string& user, std::size_t bytes);
  /// The bucket gets an entry for a session that exists and had none.
  void entered(const std::string& user, MonotonicTime now);
  /// Changes may have been missed. From now on every open session is told with `opened`, ...
  void begin_recount() { ++turn_; }
  /// ... and now all were: the others are no longer open. Until then they count.
  void end_recount();
  /// Forgets the users that have no session and opened none recently.
  void sweep(MonotonicTime now);
  std::uint64_t open_of(const std::string& user) const;
  std::size_t users() const { return users_.size(); }
  /// Memory taken, estimated.
  std::size_t bytes() const;
  const SessionCaps& caps() const { return caps_; }

 private:
  static constexpr std::uint64_t kBurstSeconds = 10;
  /// What was used of an amount that refills with time.
  struct Used {
    double amount = 0;
    MonotonicTime at{};
    double amount_at(MonotonicTime now, double per_second) const;
    void add(MonotonicTime now, double per_second);
  };
  struct Counted {
    std::uint32_t bytes = 0;
    std::uint32_t turn = 0;  ///< the recount in which it was told last
  };
  struct User {
    std::unordered_map<std::uint64_t, Counted> open;  ///< by half of the session's key
    std::uint64_t open_bytes = 0;
    std::uint64_t beginning = 0;
    std::uint64_t beginning_bytes = 0;
    Used burst;
    Used day;
  };
  double per_second() const { return static_cast<double>(caps_.per_second); }
  double day_per_second() const { return static_cast<double>(caps_.per_day) / (24 * 3600); }
  Admission judge_open(const User& user, std::size_t bytes) const;
  bool day_is_used(const User& user, double more, MonotonicTime now) const;

  const SessionCaps caps_;
  std::unordered_map<std::string, User> users_;
  std::size_t counted_ = 0;  ///< open ones of all users
  std::uint32_t turn_ = 0;
};

/// While it exists, one session that is not there yet counts for its user.
class BeginningSession {
 public:
  BeginningSession(UserSessions& users, std::string user, std::size_t bytes)
      : users_(users), user_(std::move(user)), bytes_(bytes) {
    users_.begin(user_, bytes_);
  }
  ~BeginningSession() { users_.end(user_, bytes_); }
  BeginningSession(const BeginningSession&) = delete;
  BeginningSession& operator=(const BeginningSession&) = delete;

 private:
  UserSessions& users_;
  const std::string user_;
  const std::size_t bytes_;
};

/// Why a session may not be opened, with the time after which to try again; nothing: it may. Code:
/// too_many_sessions.
std::optional<Error> refuse_session(UserSessions::Admission admission, const SessionCaps& caps);

}  // namespace toolway::gateway::sessions
