#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "chat/turns/turn_queue.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// A turn that would come in now, if Postgres knew of all that were accepted before it.
struct ComingTurn {
  persistence::conversations::Owner owner;
  std::string id;
  QueuePlace place;
  std::uint64_t begun_place = 0;  ///< of the session's turn that began last; 0: not known
};

/// Whether a turn was accepted earlier that no process has told Postgres of: it was just given to
/// another one, or to one that was killed. Not thread-safe.
class UnseenTurns {
 public:
  using Store = persistence::conversations::ConversationStore;
  /// Most messages after the turn that began last that are passed over for one turn, since their
  /// turns have ended or have no conversation; what comes after them is not waited for.
  static constexpr int kMaxPassed = 32;

  /// All outlive it.
  UnseenTurns(TurnQueue& queue, Store& store, const Clock& clock)
      : queue_(queue), store_(store), clock_(clock) {}

  /// Of each turn, in their order, whether it may begin now. What cannot be told waits. Blocks.
  std::vector<bool> none_before(const std::vector<ComingTurn>& turns);

 private:
  struct Search;
  /// What was passed over for a turn need not be read again when it comes again.
  struct Progress {
    std::uint64_t from = 1;
    int passed = 0;
    MonotonicTime at{};
  };
  void look(std::vector<Search>& searches);
  void ask_store(std::vector<Search>& searches);
  void remember(const std::vector<Search>& searches);

  TurnQueue& queue_;
  Store& store_;
  const Clock& clock_;
  std::map<std::string, Progress> progress_;  // by turn
};

}  // namespace toolway::chat::turns
