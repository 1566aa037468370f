#include "tests/simulation/turns/order_checker.h"

#include <algorithm>
#include <limits>

#include "chat/turns/unseen_turns.h"

namespace toolway::simulation::turns {
namespace {

using conversations::kPlaceHolds;
using conversations::Taken;
using std::chrono::seconds;

/// A process that was awake for so long has renewed its conversations, whatever went wrong.
constexpr seconds kHasRenewed{100};
/// The clocks of processes may say that a message is older than it is.
constexpr seconds kClocksDiffer{10};
constexpr std::uint64_t kNoPlace = std::numeric_limits<std::int64_t>::max();

std::string name_of(const conversations::Writer& writer) {
  return fmt::format("{} attempt {}", writer.turn, writer.attempt);
}

}  // namespace

void OrderChecker::arrived(const std::vector<conversations::Arrival>& turns,
                           const std::vector<conversations::Arrived>& answers) {
  for (std::size_t i = 0; i < turns.size(); ++i) {
    Session& one = sessions_[turns[i].owner.session_key];
    const auto& turn = turns[i].turn;
    if (answers[i].taken == Taken::kCrowd) {
      one.placeless.insert(turn);
      continue;
    }
    Waiting& waiting = one.waiting.try_emplace(turn, Waiting{.place = kNoPlace}).first->second;
    waiting.place = std::min(waiting.place, turns[i].place);
    waiting.heard = world_.now();
    one.placeless.erase(turn);
  }
}

void OrderChecker::waits(const std::string& session, const Writer& writer, Taken why) {
  Session& one = sessions_[session];
  if (why == Taken::kCrowd) {
    one.placeless.insert(writer.turn);
    return;
  }
  one.waiting.try_emplace(writer.turn, Waiting{.place = kNoPlace}).first->second.heard =
      world_.now();
}

void OrderChecker::taken(const std::string& session, const Writer& writer) {
  Session& one = sessions_[session];
  const auto call = calls_.find(writer.turn);
  if (call && call->end_recorded)
    world_.violation("{} was given the conversation, and its turn has ended", name_of(writer));
  if (!call || !call->started.contains(writer.attempt))
    world_.violation("{} was given the conversation before its Started was stored",
                     name_of(writer));
  // Of the turn that has it, another attempt comes first.
  if (!one.holder || one.holder->turn != writer.turn) {
    check_holder(one, writer);
    check_earlier(session, one, writer);
  }
  one.holder = writer;
  one.heard = world_.now();
  one.waiting.erase(writer.turn);
}

void OrderChecker::check_holder(const Session& one, const Writer& writer) {
  if (!one.holder) return;
  const auto call = calls_.find(one.holder->turn);
  if (call && call->ended) return;
  const auto silent = std::chrono::floor<seconds>(world_.now() - one.heard);
  if (silent < kPlaceHolds)
    world_.violation("{} was given the conversation that {} has, which was heard from {} s ago",
                     name_of(writer), name_of(*one.holder), silent.count());
  else if (const auto runs = attempts_.runs_for(*one.holder); runs && *runs >= kHasRenewed)
    world_.violation("{} was given the conversation of {}, which runs and has not renewed it",
                     name_of(writer), name_of(*one.holder));
}

void OrderChecker::check_earlier(const std::string& session, const Session& one,
                                 const Writer& writer) {
  const auto accepted = calls_.accepted(session);
  std::size_t messages = 0;
  auto own = kNoPlace;
  for (const auto& turn : accepted) {
    messages += turn.messages.size();
    if (turn.turn == writer.turn && !turn.messages.empty()) own = turn.messages.front().sequence;
  }
  if (const auto waiting = one.waiting.find(writer.turn); waiting != one.waiting.end())
    own = std::min(own, waiting->second.place);
  const bool looked_for = messages <= chat::turns::UnseenTurns::kMaxPassed;
  for (const auto& turn : accepted) {
    if (turn.turn == writer.turn) continue;
    if (const auto place = owed(one, turn, looked_for); place && *place < own)
      world_.violation("{}, accepted as {}, was given the conversation before {}, accepted as {}",
                       name_of(writer), own, turn.turn, *place);
  }
}

std::optional<std::uint64_t> OrderChecker::owed(const Session& one,
                                                const KnownCalls::Accepted& turn,
                                                bool looked_for) const {
  const auto call = calls_.find(turn.turn);
  if (!call || call->ended || one.placeless.contains(turn.turn)) return std::nullopt;
  if (one.holder && one.holder->turn == turn.turn) return std::nullopt;  // see check_holder
  if (const auto found = one.waiting.find(turn.turn); found != one.waiting.end()) {
    if (world_.now() - found->second.heard >= kPlaceHolds) return std::nullopt;
    return found->second.place;
  }
  // It has not come to any process: its message says that it is on its way.
  const auto message = std::ranges::find_if(turn.messages, [&](const auto& message) {
    return message.kept && world_.now() - message.at < kPlaceHolds - kClocksDiffer;
  });
  if (!looked_for || message == turn.messages.end()) return std::nullopt;
  return message->sequence;
}

void OrderChecker::heard(const std::string& session, const Writer& writer) {
  Session& one = sessions_[session];
  if (one.holder == writer) one.heard = world_.now();
}

void OrderChecker::released(const std::string& session, const Writer& writer) {
  Session& one = sessions_[session];
  one.waiting.erase(writer.turn);
  one.placeless.insert(writer.turn);
  if (one.holder == writer) one.holder.reset();
}

void OrderChecker::rolled_back(const ConversationTables& tables) {
  std::map<std::string, Session> left;
  for (const auto& [session, one] : sessions_) {
    left[session].placeless = one.placeless;
    // Later ones have seen that it had a place.
    for (const auto& [turn, waiting] : one.waiting) left[session].placeless.insert(turn);
  }
  for (const auto& stored : tables.all()) {
    if (!stored.lease) continue;
    Session& one = left[stored.session];
    one.holder = stored.lease;
    one.heard = std::max(stored.lease_until - kLeased, Micros(0));
    one.placeless.erase(stored.lease->turn);
  }
  for (const auto& [key, waiter] : tables.waiters()) {
    Session& one = left[key.first];
    one.waiting[key.second] = {.place = waiter.place, .heard = waiter.until - kPlaceHolds};
    one.placeless.erase(key.second);
  }
  sessions_ = std::move(left);
}

}  // namespace toolway::simulation::turns
