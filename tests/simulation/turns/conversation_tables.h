#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "persistence/conversations/conversation_store.h"
#include "persistence/conversations/turn_order.h"
#include "tests/simulation/broken.h"
#include "tests/simulation/random.h"

namespace toolway::simulation::turns {

namespace conversations = persistence::conversations;

/// How long a writer has a conversation: persistence/conversations/turn_order.h says it in SQL.
inline constexpr std::chrono::seconds kLeased{20};

/// What was written that long ago is on the disk, also if it did not wait for that: Postgres says
/// three times wal_writer_delay, which is 0.6 s, and may be set to 30 s.
inline constexpr std::chrono::seconds kOnDiskWithin{10};

/// What the collectors have recorded of calls, as far as conversations look at it.
class RecordedCalls {
 public:
  /// An entry of a session's mailbox.
  struct Ended {
    std::string call;
    bool of_turn = false;  ///< a turn, or made by one; also when its call is not recorded yet
    bool known = true;     ///< its call is recorded
    Micros at{};           ///< when it ended
    std::uint64_t place = 0;
  };
  virtual ~RecordedCalls() = default;
  /// Whether a call's completion is recorded; and when it ended.
  virtual std::optional<Micros> ended(const std::string& call) const = 0;
  /// In its order, with places above `after`.
  virtual std::vector<Ended> mailbox(const std::string& session, std::uint64_t after) const = 0;
  /// The place of what was recorded last; 0: nothing was.
  virtual std::uint64_t last_place() const = 0;
};

/// A model of the tables of conversations: the functions of persistence/conversations, each as one
/// transaction, with their statements' fencing and clock. What was written within the last seconds,
/// since the last transaction that waited for the disk, is gone when Postgres crashes.
/// tests/integration/simulation holds it to a real Postgres.
class ConversationTables {
 public:
  struct Message {
    conversations::StoredMessage stored;
    unsigned attempt = 0;
  };
  struct Conversation {
    std::string id;
    std::string session;
    std::optional<conversations::Writer> lease{};
    Micros lease_until{};
    std::uint64_t head = 0;
    bool stop_asked = false;
    std::uint64_t begun_place = 0;
    std::string last_turn{};
    std::string options{};
    bool wakes = false;
    std::string on_behalf{};
    int auto_turns = 0;
    std::uint64_t heard = 0;
    std::vector<std::shared_ptr<const Message>> messages{};
  };
  struct Waiter {
    Micros until{};
    std::uint64_t place = 0;
  };
  struct Call {
    std::optional<std::uint64_t> told_in;
    std::string progress;
  };

  explicit ConversationTables(const RecordedCalls& recorded, Broken broken = Broken::kNothing)
      : recorded_(recorded), broken_(broken) {}

  using Owner = conversations::Owner;
  using Writer = conversations::Writer;
  using Store = conversations::ConversationStore;

  Store::TakeResult take(const Owner& owner, const Writer& writer, Micros now);
  std::vector<conversations::Arrived> arrive(const std::vector<conversations::Arrival>& arrivals,
                                             Micros now);
  std::vector<bool> are_known(const std::vector<conversations::Arrival>& turns) const;
  void ask_to_stop(const Owner& owner);
  Result<conversations::Opened> start_new(const Owner& owner, const Writer& writer,
                                          const std::string& options, Micros now);
  Store::Renewed renew(const std::vector<conversations::Lease>& leases, Micros now);
  void release(const Owner& owner, const Writer& writer);
  void leave(const Owner& owner, const Writer& writer, Micros now);
  Result<void> append(const std::string& id, const Writer& writer,
                      const conversations::StoredMessage& message,
                      const conversations::CallNotes& notes, Micros now);
  std::vector<conversations::StoredMessage> last_before(const std::string& id, std::uint64_t before,
                                                        std::size_t bytes) const;
  conversations::CallNews news(const std::string& id, const std::string& after, Micros now) const;
  bool count_auto_turn(const std::string& id);
  std::vector<conversations::Wakeable> wakeable(double settled_s,
                                                const std::vector<std::string>& besides,
                                                Micros now) const;
  void stop_waking(const std::string& id);

  /// Before each transaction, and before a crash: what was written long ago is on the disk by now.
  void write_out(Micros now);
  /// Postgres crashes: what was not safe is gone.
  void crash() { state_ = newer_ = durable_; }
  /// All of them, of a session the current one last.
  const std::vector<Conversation>& all() const { return state_.conversations; }
  /// Of a conversation that there is.
  const std::string& session_of(const std::string& id) const { return find(id)->session; }
  /// Turns that have a place, by session and turn: also those that have not come for long.
  const auto& waiters() const { return state_.waiters; }
  /// The calls of a conversation whose ends come later.
  std::map<std::string, Call> calls_of(const std::string& id) const;

 private:
  struct State {
    std::vector<Conversation> conversations;  ///< in the order in which they were made
    std::map<std::pair<std::string, std::string>, Waiter> waiters;  ///< session, turn
    std::map<std::pair<std::string, std::string>, Call> calls;      ///< conversation, call
  };

  Conversation* current(const std::string& session);
  Conversation* find(const std::string& id);
  const Conversation* find(const std::string& id) const;
  using Completions = conversations::Completions;
  bool has_ended(const std::string& turn, Completions completions) const;
  bool is_free(const Conversation& one, Completions completions, Micros now) const;
  bool waits(const std::string& turn, const Waiter& waiter, Completions completions,
             Micros now) const;
  bool holds(const Conversation& one, const Writer& writer) const;
  bool may_take(const Conversation& one, const Writer& writer, Completions completions,
                Micros now) const;
  bool has_earlier(const std::vector<conversations::Arrival>& asked, std::size_t of,
                   Completions completions, Micros now) const;
  std::size_t others_waiting(const std::string& session, const std::string& turn,
                             Completions completions, Micros now) const;
  std::vector<conversations::Arrived> try_arrive(
      const std::vector<conversations::Arrival>& arrivals, Completions completions, Micros now);
  void note(Conversation& one, const conversations::CallNotes& notes, std::uint64_t number);
  static void set_released(Conversation& one);
  /// What was written so far is on the disk.
  void sync() { durable_ = newer_ = state_; }

  const RecordedCalls& recorded_;
  const Broken broken_;
  State state_;
  State durable_;
  State newer_;  ///< the next one to be on the disk, as it was at `written_out_`
  Micros written_out_{};
  Micros last_transaction_{};
  std::uint64_t made_ = 0;
};

}  // namespace toolway::simulation::turns
