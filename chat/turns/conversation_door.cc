#include "chat/turns/conversation_door.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "chat/turns/turn_wish.h"

namespace toolway::chat::turns {
namespace {

using persistence::conversations::Arrival;
using persistence::conversations::Taken;

/// A turn that waits comes several times in that time.
constexpr std::chrono::seconds kSeenWithin{2};
constexpr std::chrono::seconds kNoteInterval{1};

}  // namespace

AtDoor at_door(Taken taken, std::string_view on_busy) {
  // The turn itself says that there are too many, or that it does not wait.
  if (taken != Taken::kBusy || on_busy == "refuse") return AtDoor::kComesIn;
  return on_busy == "interrupt" ? AtDoor::kInterrupts : AtDoor::kWaits;
}

ConversationDoor::ConversationDoor(Store& store, TurnQueue& queue, monitoring::Metrics& metrics,
                                   const Clock& clock, Beat beat)
    : store_(store),
      unseen_(queue, store, clock),
      waiting_(metrics.gauge(monitoring::kTurnsWaiting)),
      clock_(clock) {
  if (beat == Beat::kOnItsThread)
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ConversationDoor::~ConversationDoor() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const MutexLock lock(mutex_);
  for (const auto& one : turns_) one.answered(false);
}

void ConversationDoor::ask(Turn turn) {
  {
    const MutexLock lock(mutex_);
    turns_.push_back(std::move(turn));
  }
  came_.notify_one();
}

void ConversationDoor::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      came_.wait_for(lock, stop, kNoteInterval,
                     [this]() REQUIRES(mutex_) { return !turns_.empty(); });
    }
    answer_all();
  }
}

void ConversationDoor::answer_all() {
  std::vector<Turn> turns;
  {
    const MutexLock lock(mutex_);
    turns.swap(turns_);
  }
  if (!turns.empty()) answer(turns);
  note_waiting();
}

void ConversationDoor::answer(std::vector<Turn>& turns) {
  std::vector<Waiting> waiting;
  for (auto& one : turns) {
    auto wish = turn_wish(one.arguments);
    // Postgres may be away: these need none.
    if (wish.alone)
      one.answered(true);
    else
      waiting.push_back({std::move(one), std::move(wish.on_busy)});
  }
  if (waiting.empty()) return;
  ask_store(waiting);
  for (const auto& [turn, on_busy, next] : waiting) {
    // If the other turn cannot be asked now, it is when this one comes again.
    if (next == AtDoor::kInterrupts) static_cast<void>(store_.ask_to_stop(turn.owner));
    if (next == AtDoor::kComesIn)
      told_.erase(turn.id);
    else
      told_.insert_or_assign(turn.id, clock_.monotonic());
    turn.answered(next == AtDoor::kComesIn);
  }
}

void ConversationDoor::ask_store(std::vector<Waiting>& waiting) {
  std::vector<Arrival> arrivals;
  for (const auto& [turn, on_busy, next] : waiting)
    arrivals.push_back({turn.owner, turn.id, turn.place.sequence});
  const auto found = store_.arrive(arrivals);
  if (!found) return;
  std::vector<ComingTurn> coming;
  std::vector<Waiting*> theirs;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto& [taken, begun_place] = found->at(i);
    waiting[i].next = at_door(taken, waiting[i].on_busy);
    // Also one that would be refused: the conversation may be free by the time it asks.
    if (waiting[i].next != AtDoor::kComesIn) continue;
    const Turn& turn = waiting[i].turn;
    coming.push_back(
        {.owner = turn.owner, .id = turn.id, .place = turn.place, .begun_place = begun_place});
    theirs.push_back(&waiting[i]);
  }
  const auto may = unseen_.none_before(coming);
  // Of the earlier one Postgres knows nothing yet, so also a turn that does not wait could not
  // tell.
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (!may[i]) theirs[i]->next = AtDoor::kWaits;
}

void ConversationDoor::note_waiting() {
  const auto now = clock_.monotonic();
  std::erase_if(told_, [&](const auto& one) { return now - one.second > kSeenWithin; });
  waiting_.set(static_cast<double>(told_.size()));
}

}  // namespace toolway::chat::turns
