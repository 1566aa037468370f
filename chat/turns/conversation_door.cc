#include "chat/turns/conversation_door.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::chat::turns {
namespace {

namespace turn = tools::builtin::turn;
using persistence::conversations::Arrival;
using persistence::conversations::Taken;

/// A turn that waits comes several times in that time.
constexpr std::chrono::seconds kSeenWithin{2};
constexpr std::chrono::seconds kNoteInterval{1};

/// What the door needs to know of a turn's arguments.
struct Wish {
  bool alone = false;  ///< it has no conversation to wait for
  std::string on_busy{};
};

Wish read_wish(const std::string& arguments) {
  const auto json = parse_json(arguments);
  // The tool says what is wrong.
  if (!json || !json->is_object()) return {.alone = true};
  const auto text = [&](std::string_view name) {
    const auto found = json->find(std::string(name));
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return {.alone = json->contains(turn::kMessages) && text(turn::kStep) != turn::kImport,
          .on_busy = text(turn::kOnBusy)};
}

}  // namespace

AtDoor at_door(Taken taken, std::string_view on_busy) {
  // The turn itself says that there are too many, or that it does not wait.
  if (taken != Taken::kBusy || on_busy == "refuse") return AtDoor::kComesIn;
  return on_busy == "interrupt" ? AtDoor::kInterrupts : AtDoor::kWaits;
}

ConversationDoor::ConversationDoor(Store& store, monitoring::Metrics& metrics, const Clock& clock)
    : store_(store),
      waiting_(metrics.gauge(monitoring::kTurnsWaiting)),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ConversationDoor::~ConversationDoor() {
  thread_.request_stop();
  thread_.join();
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
    std::vector<Turn> turns;
    {
      MutexLock lock(mutex_);
      came_.wait_for(lock, stop, kNoteInterval,
                     [this]() REQUIRES(mutex_) { return !turns_.empty(); });
      turns.swap(turns_);
    }
    if (!turns.empty()) answer(turns);
    note_waiting();
  }
}

void ConversationDoor::answer(std::vector<Turn>& turns) {
  std::vector<Wish> wishes;
  std::vector<Arrival> arrivals;
  for (const auto& one : turns) {
    wishes.push_back(read_wish(one.arguments));
    if (!wishes.back().alone) arrivals.push_back({one.owner, one.id});
  }
  Result<std::vector<Taken>> found = std::vector<Taken>();
  if (!arrivals.empty()) found = store_.arrive(arrivals);
  std::size_t next = 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (wishes[i].alone) {
      turns[i].answered(true);
      continue;
    }
    // While Postgres is away, turns wait.
    const auto taken = found ? found->at(next) : Taken::kBusy;
    ++next;
    switch (at_door(taken, found ? std::string_view(wishes[i].on_busy) : "")) {
      case AtDoor::kComesIn:
        told_.erase(turns[i].id);
        turns[i].answered(true);
        break;
      case AtDoor::kInterrupts:
        // If it cannot be asked now, it is when this turn comes again.
        static_cast<void>(store_.ask_to_stop(turns[i].owner));
        come_again(turns[i]);
        break;
      case AtDoor::kWaits: come_again(turns[i]); break;
    }
  }
}

void ConversationDoor::come_again(const Turn& turn) {
  told_.insert_or_assign(turn.id, clock_.monotonic());
  turn.answered(false);
}

void ConversationDoor::note_waiting() {
  const auto now = clock_.monotonic();
  std::erase_if(told_, [&](const auto& one) { return now - one.second > kSeenWithin; });
  waiting_.set(static_cast<double>(told_.size()));
}

}  // namespace toolway::chat::turns
