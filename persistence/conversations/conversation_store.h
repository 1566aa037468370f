#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// Conversations of the chat engine as they are kept; the store does not look into messages.
namespace toolway::persistence::conversations {

/// Turns of a session that may wait for their conversation.
inline constexpr int kMaxWaitingTurns = 16;
/// How long a turn of which nothing is heard keeps its place: a killed turn's next attempt comes
/// within 30 s, or after the longest delay of a retry, a minute.
inline constexpr std::chrono::seconds kPlaceHolds{120};

/// Whose conversation.
struct Owner {
  std::string tenant_id = "default";
  std::string session_key;
};

/// Who writes: one attempt of one turn.
struct Writer {
  std::string turn;  ///< the id of its call
  unsigned attempt = 1;

  auto operator<=>(const Writer&) const = default;
};

/// What a writer has.
struct Lease {
  Owner owner;
  Writer writer;
};

/// When a message is safe from a crash of Postgres.
enum class Kept {
  kAtOnce,
  kWithNext,  ///< when a later one is: in their order, none without those before it
};

struct StoredMessage {
  std::uint64_t number = 0;  ///< from 1
  std::string turn;
  std::string role;
  std::string body;  ///< JSON, byte for byte as it was stored
  Kept kept = Kept::kAtOnce;
  bool ends_turn = false;  ///< its writer releases the conversation with it
};

/// A conversation that a writer has to itself.
struct Opened {
  std::string conversation;  ///< a UUID
  std::uint64_t head = 0;    ///< the number of its last message; 0: it is empty
  std::string options{};  ///< as its last turn of the user left them; the store does not read them
};

/// What became of a wish to write.
enum class Taken {
  kTaken,
  kBusy,   ///< another turn writes, or comes first: ask again
  kCrowd,  ///< too many turns wait already
};

/// A turn that has come and has not begun.
struct Arrival {
  Owner owner;
  std::string turn;         ///< the id of its call
  std::uint64_t place = 0;  ///< of its message in stream CALLS
};

/// How its conversation is.
struct Arrived {
  Taken taken = Taken::kBusy;  ///< kTaken: it is free for this turn
  /// Of the session's turn that began last, if its process said so, else 0.
  std::uint64_t begun_place = 0;
};

/// What a message adds to what is known of calls.
struct CallNotes {
  std::vector<std::string> detached;  ///< calls whose end comes later
  std::vector<std::string> told;      ///< calls whose end it tells
  struct Progress {
    std::string call;
    std::string event;  ///< the id of the newest one that was told; empty: none
  };
  std::vector<Progress> progress{};  ///< calls of which it tells how far they are
  /// What has ended up to here in the session's mailbox was told, or need not be; empty: as before.
  std::string heard{};
  /// A turn of the user begins: on whose behalf completions may begin turns from now on, if they
  /// may, whose count begins again.
  struct UserTurn {
    bool wakes = false;
    std::string on_behalf;
    std::string options{};  ///< of the conversation, from now on
  };
  std::optional<UserTurn> begun{};

  /// Whether it says nothing of single calls.
  bool empty() const { return detached.empty() && told.empty() && progress.empty(); }
};

/// What a conversation may be told of calls.
struct CallNews {
  /// The newest ones that outlived their turn's wait and whose end no message tells, at most
  /// ConversationStore::kMaxUntold, with what was told of each.
  std::vector<CallNotes::Progress> untold;
  /// A call of the session that has ended since the conversation last learned of such ones.
  struct Ended {
    std::string call;
    bool of_turn = false;  ///< a turn, or made by one
    std::string place;     ///< in the session's mailbox
  };
  /// In the order of the mailbox, at most ConversationStore::kMaxHeard.
  std::vector<Ended> ended;
};

/// What a turn reads of its conversation before all else.
struct Reading {
  std::vector<StoredMessage> messages;  ///< oldest first
  CallNews news;
};

/// A conversation in which calls have ended that no message tells.
struct Wakeable {
  std::string conversation;
  std::string session_id;
  std::string on_behalf;
};

/// Every function blocks until Postgres has answered, and may be called from several threads.
/// Errors of all: kStoreUnavailable.
class ConversationStore {
 public:
  static constexpr std::size_t kMaxUntold = 200;
  static constexpr std::size_t kMaxHeard = 200;
  static constexpr std::size_t kMaxReadMessages = 2000;
  virtual ~ConversationStore() = default;

  /// Takes the session's current conversation for `writer`, or makes its first one. A newer attempt
  /// of a turn takes it from an older one. Another turn gets it when the one that has it has
  /// released it, its call's completion is recorded, or nothing was heard from it for two minutes:
  /// one whose process was killed keeps its place. Turns with an earlier place come first. A turn
  /// whose completion is recorded does not get it: a process that slept may still have its message.
  struct TakeResult {
    Taken taken = Taken::kBusy;
    Opened opened{};
  };
  virtual Result<TakeResult> take(const Owner& owner, const Writer& writer) = 0;
  /// How the conversations of these turns are, in their order. Each turn has its place among those
  /// that wait from then on, until its call's completion is recorded, or it has not come for two
  /// minutes; unless it is one too many.
  virtual Result<std::vector<Arrived>> arrive(const std::vector<Arrival>& arrivals) = 0;
  /// Of each of these turns, in their order, whether it has come to a process, so that it has its
  /// place, or has ended.
  virtual Result<std::vector<bool>> are_known(const std::vector<Arrival>& turns) = 0;
  /// Asks the turn that writes now to stop.
  virtual Result<void> ask_to_stop(const Owner& owner) = 0;
  /// Begins an empty conversation with these options in place of the one that `writer` has. How
  /// the calls of that one end is not told any more.
  virtual Result<Opened> start_new(const Owner& owner, const Writer& writer,
                                   const std::string& options) = 0;
  /// The conversation in which `turn` has stored messages, if it is another one than `current`: its
  /// session has left it since. Nothing: there is none.
  virtual Result<std::optional<Opened>> left_by(const Owner& owner, const std::string& turn,
                                                const std::string& current) = 0;
  /// Renews what is held. Those that are lost, or were asked to stop, are in `stop`.
  struct Renewed {
    std::vector<Writer> stop;
  };
  virtual Result<Renewed> renew(const std::vector<Lease>& leases) = 0;
  /// The turn has ended: whatever becomes of its call, it writes nothing any more.
  virtual Result<void> release(const Owner& owner, const Writer& writer) = 0;
  /// This attempt has ended, and another one may follow: the turn keeps its place.
  virtual Result<void> leave(const Owner& owner, const Writer& writer) = 0;

  /// Adds the message with this number. Errors: kConflict when `writer` does not have the
  /// conversation any more, or another message has the number.
  virtual Result<void> append(const std::string& conversation, const Writer& writer,
                              const StoredMessage& message, const CallNotes& notes) = 0;
  /// The messages that come last before number `before`, at most `bytes` and kMaxReadMessages of
  /// them, but at least one if there is any. Oldest first.
  virtual Result<std::vector<StoredMessage>> last_before(const std::string& conversation,
                                                         std::uint64_t before,
                                                         std::size_t bytes) = 0;

  /// What there is to tell of calls. `after`: a place in the session's mailbox; empty: that up to
  /// which the conversation has heard.
  virtual Result<CallNews> news(const std::string& conversation, const std::string& after) = 0;

  /// Both at once: `last_before`, and `news` since the conversation last learned of some.
  virtual Result<Reading> read(const std::string& conversation, std::uint64_t before,
                               std::size_t bytes) = 0;

  /// Counts a turn that completions begin. False: the limit is reached.
  virtual Result<bool> count_auto_turn(const std::string& conversation) = 0;
  /// Where calls have ended for `settled` seconds that no message tells, and no turn runs,
  /// without those in `besides`. Only for one process at a time: for others it is empty.
  virtual Result<std::vector<Wakeable>> wakeable(double settled_s,
                                                 const std::vector<std::string>& besides) = 0;
  /// Completions begin no turns of it until the user writes again.
  virtual Result<void> stop_waking(const std::string& conversation) = 0;
};

}  // namespace toolway::persistence::conversations
