#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "chat/turns/beat.h"
#include "chat/turns/unseen_turns.h"
#include "monitoring/metrics.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// What becomes of a turn that has come, where `taken` is how its conversation is.
enum class AtDoor {
  kComesIn,
  kWaits,       ///< it comes again
  kInterrupts,  ///< it asks the turn that runs to stop, and comes again
};

/// Pure. `on_busy`: as a message says it; empty: it waits.
AtDoor at_door(persistence::conversations::Taken taken, std::string_view on_busy);

/// Whether turns may begin: those whose conversation another turn has wait outside, where they take
/// up no thread, and those that were accepted after one of which nothing is known yet. It asks for
/// all that come at once, on a thread of its own. Thread-safe.
class ConversationDoor {
 public:
  using Store = persistence::conversations::ConversationStore;

  /// All outlive it.
  ConversationDoor(Store& store, TurnQueue& queue, monitoring::Metrics& metrics, const Clock& clock,
                   Beat beat = Beat::kOnItsThread);
  /// Those that still ask are told to come again.
  ~ConversationDoor();

  /// A turn that has come.
  struct Turn {
    persistence::conversations::Owner owner;
    std::string id;         ///< of its call
    std::string arguments;  ///< of its call
    QueuePlace place{};
    /// Whether it may begin; called once, on the door's thread. False: it comes again in a while.
    std::function<void(bool)> answered;
  };
  void ask(Turn turn);
  /// Answers those that have come; its thread does so. Blocks.
  void answer_all();

 private:
  struct Waiting {
    Turn turn;
    std::string on_busy;
    AtDoor next = AtDoor::kWaits;  // also while Postgres is away
  };
  void run(const std::stop_token& stop);
  void answer(std::vector<Turn>& turns);
  void ask_store(std::vector<Waiting>& waiting);
  void note_waiting();

  Store& store_;
  UnseenTurns unseen_;  // of the thread
  monitoring::Gauge& waiting_;
  const Clock& clock_;
  // Likewise: when turns were told to wait.
  std::map<std::string, MonotonicTime> told_;
  Mutex mutex_;
  StoppableCondVar came_;
  std::vector<Turn> turns_ GUARDED_BY(mutex_);
  std::jthread thread_;  // the last one: it uses the others
};

}  // namespace toolway::chat::turns
