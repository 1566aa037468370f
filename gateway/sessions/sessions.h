#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gateway/loop/async_bus.h"
#include "gateway/sessions/counted_sessions.h"
#include "gateway/sessions/recorded_sessions.h"
#include "gateway/sessions/session.h"
#include "gateway/sessions/session_request.h"
#include "gateway/wire/problem.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::sessions {

/// How an opened session came about.
struct Opened {
  SessionPtr session;
  bool created = false;
};

/// Changes a session's record. Given the newest one, again each time another writer was
/// faster; false: it is already as it should be.
using SessionChange = std::function<bool(v1::SessionRecord&)>;

struct ChangedSession {
  SessionPtr session;
  bool written = false;  ///< false: it was already so
};

/// How sessions are kept.
struct SessionsOptions {
  /// An open session that no client uses or follows for this long expires; 0: never.
  std::chrono::seconds idle{3600};
  SessionCaps caps{};
  /// The part of the bucket that is in use, as far as known.
  std::function<double()> bucket_used = [] { return 0.0; };
  std::size_t max_bytes = 96 * 1024 * 1024;  ///< remembered
  /// Told once of each session that is learnt to be deleted, by its key.
  std::function<void(const SessionKey&)> deleted = [](const SessionKey&) {};
};

/// The sessions of the fleet: a bucket on the bus, and what this gateway remembers of
/// it. What is remembered follows the bucket's changes while the bus is connected,
/// and is forgotten when it is not; a closed session is forgotten soon. How many a user
/// has is counted apart from that. Using an open
/// one keeps it from expiring. A closed session leaves the bucket once it is recorded, and an empty
/// value stays in its place (bus::kSessionsAge): from then on the store has its record, and writing
/// it puts it back into the bucket. On the io_context's thread.
class Sessions {
 public:
  Sessions(bus::Bus& bus, loop::AsyncBus& async_bus, loop::AsyncStore& store,
           std::shared_ptr<loop::IoPost> io_post, monitoring::Metrics& metrics, const Clock& clock,
           SessionsOptions options);
  /// Without the bus nothing is remembered until the bus is there.
  void watch();

  /// As this gateway knows it; asking for it counts as using it. Errors: invalid_identifier,
  /// unknown_session, and the bus's.
  loop::Task<wire::HttpResult<SessionPtr>> find(const wire::Caller& caller,
                                                std::string_view session_id);
  /// The same of one that takes calls. Errors: session_closed as well.
  loop::Task<wire::HttpResult<SessionPtr>> find_open(const wire::Caller& caller,
                                                     std::string_view session_id);
  /// As the bus has it now, whatever this gateway remembers; or as recorded, when it has left the
  /// bucket. Errors: as `find`; store_unavailable when it has left the bucket and the store does
  /// not answer.
  loop::Task<wire::HttpResult<SessionPtr>> read(const wire::Caller& caller,
                                                std::string_view session_id);
  /// The same, and what is left of a deleted one. Errors: unknown_session only when there is
  /// nothing of that name.
  loop::Task<wire::HttpResult<SessionPtr>> read_any(const wire::Caller& caller,
                                                    std::string_view session_id);
  /// Waits until the store knows that the session with this key, which had that name, is deleted:
  /// from then on its calls are not found either, and its name is free. Errors: collector_behind
  /// when it does not within `patience`, store_unavailable.
  loop::Task<wire::HttpResult<void>> await_deleted(wire::Caller caller, std::string session_id,
                                                   SessionKey key, std::chrono::seconds patience);
  /// Compare-and-set: of several gateways that open it at once, one creates it. An existing one
  /// with the same namespaces is returned as it is, closed or not.
  /// One that was deleted is created as if it had never been. Errors: collector_behind when that it
  /// was deleted is not recorded yet; too_many_sessions, overloaded when the bucket is full, as
  /// `read`, and those of
  /// `toolset_digest`, which computes it from the namespaces and the key of a new session.
  using ToolsetDigest = std::function<loop::Task<Result<std::string>>(std::span<const std::string>,
                                                                      std::string_view)>;
  loop::Task<wire::HttpResult<Opened>> open(SessionRequest request, const wire::Caller& caller,
                                            ToolsetDigest toolset_digest);
  /// Compare-and-set, again from the newest record each time another writer was faster.
  /// Errors: as `find`; bus_unavailable or timeout when it could not be written; too_many_sessions
  /// when it has left the bucket and its user wrote too many to it today.
  loop::Task<wire::HttpResult<ChangedSession>> change(wire::Caller caller, std::string session_id,
                                                      SessionChange change);
  /// Whether a closed session of this user may be opened again. Errors: too_many_sessions.
  wire::HttpResult<void> admit_restored(const wire::Caller& caller) const {
    return counted_.admit_restored(wire::owner_name(caller));
  }
  /// This user's open sessions among the newest that this gateway remembers, at most `most`.
  std::vector<SessionKey> used_last(const wire::Caller& caller, std::size_t most) const;
  /// A client uses or follows it: writes that down when the record's time is older than a
  /// quarter of the idle time. Returns at once.
  void touch(const SessionPtr& session);
  /// Forgets the sessions that were closed a while ago.
  void sweep();
  void connection_changed(bus::Connection state);
  /// Memory taken by what is remembered and counted, estimated.
  std::size_t bytes() const { return bytes_ + counted_.bytes(); }
  /// What the bucket holds now, as another gateway or we wrote it.
  void learn(const bus::Entry& entry);

 private:
  void forget_all();
  void start_recount();
  loop::Task<wire::HttpResult<SessionPtr>> look_up(const wire::Caller& caller,
                                                   std::string_view session_id);
  loop::Task<void> write_touch(SessionPtr session, std::string name);
  bool is_stale(const v1::SessionRecord& record) const;
  /// A session whose entry in the bucket is empty or missing, `revision` being that entry's.
  /// Errors: wrong_last_sequence when the bucket has it again.
  loop::Task<wire::HttpResult<SessionPtr>> recall(const wire::Caller& caller,
                                                  std::string session_id, std::uint64_t revision);
  wire::HttpResult<void> admit_new(const wire::Caller& caller, std::size_t bytes) const;
  void forget_closed(const std::string& name, std::uint64_t revision);
  struct Remembered {
    std::string name;
    SessionPtr session;
  };
  SessionPtr remembered(const std::string& name);
  /// Of what the bucket has under the session's name; `fresh`: what this request would have
  /// written.
  wire::HttpResult<Opened> open_again(v1::SessionRecord record, std::uint64_t revision,
                                      const SessionRequest& request,
                                      const v1::SessionRecord& fresh);
  SessionPtr remember(v1::SessionRecord record, std::uint64_t revision);
  void drop_oldest();

  struct Closed {
    std::string name;
    std::uint64_t revision = 0;
    MonotonicTime learned;
  };
  bus::KeyValue bucket_;
  loop::AsyncBus& bus_;
  RecordedSessions recorded_;
  std::shared_ptr<loop::IoPost> io_post_;
  monitoring::Gauge& open_;
  const Clock& clock_;
  const SessionsOptions options_;
  std::deque<Closed> closed_;  // still remembered: a read in progress may bring an older revision
  std::unordered_set<std::string> touching_;
  std::list<Remembered> by_use_;  // newest first
  std::unordered_map<std::string_view, std::list<Remembered>::iterator> by_name_;
  std::size_t bytes_ = 0;
  std::size_t open_count_ = 0;
  CountedSessions counted_;
  MonotonicTime next_user_sweep_{};
  std::unique_ptr<bus::Subscription> watch_;
};

}  // namespace toolway::gateway::sessions
