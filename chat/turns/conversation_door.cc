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
  std::vector<Waiting> waiting;
  std::vector<Arrival> arrivals;
  for (auto& one : turns) {
    auto wish = read_wish(one.arguments);
    // Postgres may be away: these need none.
    if (wish.alone) {
      one.answered(true);
      continue;
    }
    arrivals.push_back({one.owner, one.id});
    waiting.push_back({std::move(one), std::move(wish.on_busy)});
  }
  if (waiting.empty()) return;
  const auto found = store_.arrive(arrivals);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Turn& turn = waiting[i].turn;
    // While it is away, turns wait.
    const auto next = found ? at_door(found->at(i), waiting[i].on_busy) : AtDoor::kWaits;
    // If the other turn cannot be asked now, it is when this one comes again.
    if (next == AtDoor::kInterrupts) static_cast<void>(store_.ask_to_stop(turn.owner));
    if (next == AtDoor::kComesIn)
      told_.erase(turn.id);
    else
      told_.insert_or_assign(turn.id, clock_.monotonic());
    turn.answered(next == AtDoor::kComesIn);
  }
}

void ConversationDoor::note_waiting() {
  const auto now = clock_.monotonic();
  std::erase_if(told_, [&](const auto& one) { return now - one.second > kSeenWithin; });
  waiting_.set(static_cast<double>(told_.size()));
}

}  // namespace toolway::chat::turns
