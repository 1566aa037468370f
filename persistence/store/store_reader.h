#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/trace_context.h"
#include "persistence/audit/audit_page.h"
#include "persistence/conversations/conversation_reads.h"
#include "persistence/store/call_filter.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence::store {

/// Where an event is: in which incarnation of stream EVENTS, and where in it. Ordered.
struct EventPosition {
  std::int64_t incarnation = 0;
  std::uint64_t sequence = 0;
  auto operator<=>(const EventPosition&) const = default;
};

/// An event exactly as it was published, and where.
struct RecordedEvent {
  EventPosition position;
  toolway::v1::CallEvent event;
};

/// A call as far as it is recorded: the request, and its newest event of
/// substance (Started, RetryAt or Completed), when there is one.
struct RecordedCall {
  std::string call_id;
  std::string tenant_id;
  std::string user_id;
  std::string session_key;
  std::string session_id;
  toolway::v1::CallLabels labels;
  std::string pool;                        ///< empty while only its completion is recorded
  std::string arguments;                   ///< JSON, byte for byte as accepted
  std::vector<std::string> secret_places;  ///< of the arguments, which readers are not shown
  std::string spec_digest;  ///< of the version that admitted it; empty while only its completion is
                            ///< recorded
  WallTime submitted_at{};
  TraceContext trace{};  ///< that it was sent from; of none while only its completion is recorded
  std::string admission{};             ///< as its completion says it; likewise
  std::optional<WallTime> started_at;  ///< of the attempt that runs, or ended
  /// The last attempt failed and this one is queued again: not before this time.
  std::optional<WallTime> retry_at;
  std::string parent_call_id{};  ///< the turn that made it; empty: none did
  std::string face{};            ///< how it came; empty: over REST, or it is not known
  bool held = false;             ///< it waits for approval, unless it is completed
  unsigned attempt = 0;          ///< 0: none yet
  /// The completion, as published; nothing while there is none.
  std::optional<toolway::v1::CallEvent> completion;
  /// When the transaction that holds the completion was known to be committed.
  std::optional<WallTime> recorded_at;
};

/// A call as it was accepted: its message on stream CALLS, and where that was.
struct AcceptedCall {
  toolway::v1::CallRequest request;  ///< without arguments that are recorded separately
  EventPosition position;            ///< in CALLS
};

/// A call with its arguments, and the end of its log; for those who decide whether it may run.
struct CallAndLog {
  toolway::v1::CallRequest request;  ///< of its newest publication
  std::optional<toolway::v1::CallEvent> last;
};

/// Which calls that were held for approval, by what has become of them (proto::held_state).
struct ApprovalFilter {
  std::string tenant;
  /// Either `waiting`, oldest first; or any of the others, newest first.
  std::vector<std::string> states;
};
/// Such a call. What `last` says is about its approval, if it does not wait.
struct HeldCall {
  CallAndLog call;
  std::string state;
  std::optional<WallTime> decided_at;  ///< or when it ended; nothing: it waits
};

/// A chunk of a large result.
struct BlobPiece {
  unsigned number = 0;
  std::string data;
};

/// Where a completion is in the mailbox: the transaction that recorded it, and
/// its number. Ordered; {} is the beginning. It holds for all sessions of a database.
struct MailboxCursor {
  std::uint64_t xid = 0;
  std::uint64_t number = 0;
  auto operator<=>(const MailboxCursor&) const = default;
};

struct MailboxEntry {
  MailboxCursor cursor;
  /// With its completion. Without arguments and pool when only the completion is
  /// recorded yet and its request is not.
  RecordedCall call;
  bool early = false;  ///< its request is not recorded, and it completed a moment ago
};

/// Whose completions of a session.
enum class Parents : std::uint8_t {
  kAny,
  kNone,  ///< of calls that no turn made
};

struct CallCounts {
  std::uint64_t queued = 0;  ///< those that wait for another attempt as well
  std::uint64_t running = 0;
  std::uint64_t held = 0;  ///< those that wait for approval
  std::uint64_t completed = 0;
  std::uint64_t unread = 0;  ///< completions after the acknowledged cursor
};

struct RecordedSession {
  toolway::v1::SessionRecord record;
  CallCounts counts;
};

/// The most that a page holds: as bytes of what its rows carry (arguments, results, events,
/// records) as they come from the database. The row that reaches the bound is the last one.
inline constexpr std::size_t kMaxPageBytes = 4 * 1024 * 1024;

/// How much of a list is asked for; a number alone counts rows.
struct PageLimit {
  PageLimit(std::size_t max_rows,
            std::size_t max_bytes = kMaxPageBytes)  // NOLINT: a number is a limit
      : rows(max_rows), bytes(max_bytes) {}
  std::size_t rows;
  std::size_t bytes;
};

/// The rows of a page, in order, at least one if there is any.
template <typename T>
struct Page : std::vector<T> {
  using std::vector<T>::vector;
  bool more = false;      ///< others follow, or may follow
  std::size_t bytes = 0;  ///< what the rows carry
  /// Of a search: the oldest call that it looked at, after which the next page begins; empty: the
  /// last row.
  std::string looked_to;
};

/// A call as the manifest of a session accounts for it.
struct ManifestCall {
  std::string call_id;
  toolway::v1::CallLabels labels;
  CallState state = CallState::kQueued;
  std::optional<toolway::v1::Outcome> outcome;
  std::string error_code;  ///< empty: none
  WallTime submitted_at{};
};

/// What the gateway reads from Postgres. Every function blocks until answered
/// and may be called from several threads at once. Errors: kStoreUnavailable
/// when Postgres does not answer within the statement time-out.
class StoreReader {
 public:
  virtual ~StoreReader() = default;

  virtual Result<std::optional<RecordedCall>> call(const CallId& call) = 0;
  /// Newest first; `before`: only calls older than that one.
  virtual Result<Page<RecordedCall>> calls_of_session(const SessionKey& session, CallState state,
                                                      const std::optional<CallId>& before,
                                                      PageLimit limit) = 0;
  /// Those of a user that fit, newest first; `before`: only calls older than that one. It looks at
  /// kMaxLooks calls at most (call_search.h), so a page may end before its limit, or be empty,
  /// while `more` may follow.
  virtual Result<Page<RecordedCall>> calls_of_user(const CallFilter& filter,
                                                   const std::optional<CallId>& before,
                                                   PageLimit limit) = 0;
  /// Completions of a session after `after`, oldest first. Only those below
  /// every transaction that still runs, so that a reader that continues from the last cursor
  /// it got has missed none, whatever commits late. A request says who made the call: of calls that
  /// no turn made, a page ends before a completion that is early.
  virtual Result<Page<MailboxEntry>> mailbox(const SessionKey& session, MailboxCursor after,
                                             PageLimit limit, Parents parents) = 0;
  /// Every recorded call of a session, oldest first, those after `after`, at most `limit`.
  virtual Result<std::vector<ManifestCall>> manifest(const SessionKey& session,
                                                     const std::optional<CallId>& after,
                                                     std::size_t limit) = 0;
  /// `read`: how far the mailbox is acknowledged.
  virtual Result<CallCounts> counts(const SessionKey& session, MailboxCursor read) = 0;
  /// Newest first; `before`: only sessions created before that time.
  virtual Result<Page<RecordedSession>> sessions_of_user(std::string_view tenant,
                                                         std::string_view user,
                                                         std::optional<WallTime> before,
                                                         PageLimit limit) = 0;
  /// The newest session of that name, as its record was written last; nothing when there is none.
  virtual Result<std::optional<toolway::v1::SessionRecord>> session(
      std::string_view tenant, std::string_view user, std::string_view session_id) = 0;
  /// In order, those after `after`. Alive events are not recorded as rows.
  virtual Result<Page<RecordedEvent>> events_of_session(const SessionKey& session,
                                                        EventPosition after, PageLimit limit) = 0;
  virtual Result<Page<RecordedEvent>> events_of_call(const CallId& call, EventPosition after,
                                                     PageLimit limit) = 0;
  /// Chunks `first` and later of the large result that an attempt of a call published, in
  /// order, at most `count`; those that are not recorded yet are left out.
  virtual Result<std::vector<BlobPiece>> blob_chunks(const CallId& call, unsigned attempt,
                                                     unsigned first, unsigned count) = 0;
  /// How many chunks of it are recorded: all of them, when equal to the number in its BlobRef.
  virtual Result<std::uint64_t> blob_chunks_recorded(const CallId& call, unsigned attempt) = 0;
  virtual Result<std::optional<AcceptedCall>> accepted(const CallId& call) = 0;
  virtual Result<std::optional<CallAndLog>> call_and_log(const CallId& call) = 0;
  /// In the order that the filter says, those after `after`.
  virtual Result<Page<HeldCall>> held_calls(const ApprovalFilter& filter,
                                            const std::optional<CallId>& after,
                                            PageLimit limit) = 0;
  /// Records of the audit after `after`, in the order in which they were recorded.
  virtual Result<audit::RecordPage> audit(const audit::RecordFilter& filter,
                                          audit::RecordPlace after, std::size_t limit) = 0;
  /// A session's conversation, as `conversations::head_statement` says; nothing: there is none.
  virtual Result<std::optional<conversations::ConversationHead>> conversation(
      const SessionKey& session, const std::string& id) = 0;
  virtual Result<conversations::MessagePage> messages(const std::string& conversation,
                                                      std::uint64_t after, std::size_t limit) = 0;
  /// Whether Postgres answers and is migrated; for readiness. Waits for no other read, and some
  /// seconds at most for Postgres. Errors: kStoreUnavailable (it does not answer), kInternal (it
  /// answers, and is not migrated).
  virtual Result<void> ping() = 0;
  /// From now on every read fails, those in progress at once: for shutdown.
  virtual void give_up() {}
};

}  // namespace toolway::persistence::store
