#include "tests/simulation/turns/conversation_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "persistence/conversations/postgres_conversations.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Arrival;
using conversations::Taken;
using conversations::Writer;

/// The place of a turn that has none.
constexpr std::uint64_t kNowhere = std::numeric_limits<std::int64_t>::max();

tl::unexpected<Error> lost() {
  return fail(ErrorCode::kWrongLastSequence, "another attempt has the conversation by now");
}

}  // namespace

ConversationTables::Conversation* ConversationTables::current(const std::string& session) {
  const auto last = std::ranges::find(state_.conversations.rbegin(), state_.conversations.rend(),
                                      session, &Conversation::session);
  return last == state_.conversations.rend() ? nullptr : &*last;
}

ConversationTables::Conversation* ConversationTables::find(const std::string& id) {
  const auto found = std::ranges::find(state_.conversations, id, &Conversation::id);
  return found == state_.conversations.end() ? nullptr : &*found;
}

const ConversationTables::Conversation* ConversationTables::find(const std::string& id) const {
  const auto found = std::ranges::find(state_.conversations, id, &Conversation::id);
  return found == state_.conversations.end() ? nullptr : &*found;
}

void ConversationTables::write_out(Micros now) {
  if (now - std::exchange(last_transaction_, now) >= kOnDiskWithin) {
    sync();
    written_out_ = now;
  } else if (now - written_out_ >= kOnDiskWithin) {
    durable_ = std::exchange(newer_, state_);
    written_out_ = now;
  }
}

bool ConversationTables::has_ended(const std::string& turn, Completions completions) const {
  return completions == Completions::kLookedUp && recorded_.ended(turn);
}

bool ConversationTables::is_free(const Conversation& one, Completions completions,
                                 Micros now) const {
  return !one.lease || one.lease_until <= now - conversations::kPlaceHolds ||
         has_ended(one.lease->turn, completions);
}

bool ConversationTables::waits(const std::string& turn, const Waiter& waiter,
                               Completions completions, Micros now) const {
  return waiter.until > now && !has_ended(turn, completions);
}

bool ConversationTables::holds(const Conversation& one, const Writer& writer) const {
  if (broken_ == Broken::kLease) return true;
  if (!one.lease || one.lease->turn != writer.turn) return false;
  return broken_ == Broken::kAttempt || one.lease->attempt == writer.attempt;
}

bool ConversationTables::may_take(const Conversation& one, const Writer& writer,
                                  Completions completions, Micros now) const {
  const auto own = state_.waiters.find({one.session, writer.turn});
  const auto place = own == state_.waiters.end() ? kNowhere : own->second.place;
  // Its own end is looked up in any case.
  if (has_ended(writer.turn, Completions::kLookedUp) && broken_ != Broken::kEnded) return false;
  if (one.lease && one.lease->turn == writer.turn) return one.lease->attempt <= writer.attempt;
  if (!is_free(one, completions, now)) return false;
  return std::ranges::none_of(state_.waiters, [&](const auto& entry) {
    const auto& [key, waiter] = entry;
    return key.first == one.session &&
           std::tie(waiter.place, key.second) < std::tie(place, writer.turn) &&
           waits(key.second, waiter, completions, now);
  });
}

std::size_t ConversationTables::others_waiting(const std::string& session, const std::string& turn,
                                               Completions completions, Micros now) const {
  return static_cast<std::size_t>(std::ranges::count_if(state_.waiters, [&](const auto& entry) {
    const auto& [key, waiter] = entry;
    return key.first == session && key.second != turn &&
           waits(key.second, waiter, completions, now);
  }));
}

ConversationTables::Store::TakeResult ConversationTables::take(const Owner& owner,
                                                               const Writer& writer, Micros now) {
  const auto& session = owner.session_key;
  const bool made = current(session) == nullptr;
  if (made) {
    Conversation first{.id = fmt::format("{:08x}-0000-4000-8000-000000000000", ++made_),
                       .session = session};
    first.heard = recorded_.last_place();
    state_.conversations.push_back(std::move(first));
    sync();
  }
  Conversation& one = *current(session);
  const auto own = state_.waiters.find({session, writer.turn});
  // Of one that was just made nothing is looked up.
  if (may_take(one, writer, Completions::kIgnored, now) ||
      (!made && may_take(one, writer, Completions::kLookedUp, now))) {
    const bool again = one.lease && one.lease->turn == writer.turn;
    one.lease = writer;
    one.lease_until = now + kLeased;
    one.stop_asked = false;
    if (own != state_.waiters.end()) {
      if (own->second.place < kNowhere && !again) one.begun_place = own->second.place;
      state_.waiters.erase(own);
    }
    return {Taken::kTaken, {.conversation = one.id, .head = one.head, .options = one.options}};
  }
  const auto others = others_waiting(session, writer.turn, Completions::kLookedUp, now);
  if (own == state_.waiters.end() && others >= conversations::kMaxWaitingTurns)
    return {Taken::kCrowd, {}};
  Waiter& waiter =
      state_.waiters.try_emplace({session, writer.turn}, Waiter{.place = kNowhere}).first->second;
  waiter.until = now + conversations::kPlaceHolds;
  return {Taken::kBusy, {}};
}

bool ConversationTables::has_earlier(const std::vector<Arrival>& asked, std::size_t of,
                                     Completions completions, Micros now) const {
  const Arrival& turn = asked[of];
  const auto& session = turn.owner.session_key;
  auto place = turn.place;
  const auto own = state_.waiters.find({session, turn.turn});
  if (own != state_.waiters.end() && waits(turn.turn, own->second, completions, now))
    place = std::min(place, own->second.place);
  const auto before = [&](const std::string& other, std::uint64_t its) {
    return other != turn.turn && std::tie(its, other) < std::tie(place, turn.turn);
  };
  return std::ranges::any_of(state_.waiters,
                             [&](const auto& entry) {
                               const auto& [key, waiter] = entry;
                               return key.first == session && before(key.second, waiter.place) &&
                                      waits(key.second, waiter, completions, now);
                             }) ||
         std::ranges::any_of(asked, [&](const Arrival& other) {
           return other.owner.session_key == session && before(other.turn, other.place);
         });
}

std::vector<conversations::Arrived> ConversationTables::arrive(const std::vector<Arrival>& arrivals,
                                                               Micros now) {
  auto found = try_arrive(arrivals, Completions::kIgnored, now);
  if (std::ranges::all_of(found, [](const auto& one) { return one.taken == Taken::kTaken; }))
    return found;
  return try_arrive(arrivals, Completions::kLookedUp, now);
}

std::vector<conversations::Arrived> ConversationTables::try_arrive(
    const std::vector<Arrival>& arrivals, Completions completions, Micros now) {
  std::vector<conversations::Arrived> found;
  std::vector<bool> placed;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Arrival& turn = arrivals[i];
    const auto& session = turn.owner.session_key;
    bool begun = false;
    bool held = false;
    for (const auto& one : state_.conversations) {
      if (one.session != session || !one.lease) continue;
      begun = begun || one.lease->turn == turn.turn;
      held = held || (one.lease->turn != turn.turn && !is_free(one, completions, now));
    }
    const bool has_row = state_.waiters.contains({session, turn.turn});
    auto others = others_waiting(session, turn.turn, completions, now);
    for (const auto& other : arrivals)
      if (other.owner.session_key == session &&
          std::tie(other.place, other.turn) < std::tie(turn.place, turn.turn) &&
          !state_.waiters.contains({session, other.turn}))
        ++others;
    const bool crowd = !has_row && others >= conversations::kMaxWaitingTurns;
    const bool busy = !begun && (held || has_earlier(arrivals, i, completions, now));
    const Conversation* const one = current(session);
    found.push_back({!busy   ? Taken::kTaken
                     : crowd ? Taken::kCrowd
                             : Taken::kBusy,
                     one == nullptr ? 0 : one->begun_place});
    placed.push_back(!crowd);
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (!placed[i]) continue;
    Waiter& waiter = state_.waiters
                         .try_emplace({arrivals[i].owner.session_key, arrivals[i].turn},
                                      Waiter{.place = kNowhere})
                         .first->second;
    waiter.until = now + conversations::kPlaceHolds;
    waiter.place = std::min(waiter.place, arrivals[i].place);
  }
  return found;
}

std::vector<bool> ConversationTables::are_known(const std::vector<Arrival>& turns) const {
  std::vector<bool> known;
  for (const auto& turn : turns) {
    const auto& session = turn.owner.session_key;
    const bool has = std::ranges::any_of(state_.conversations, [&](const Conversation& one) {
      return one.session == session &&
             ((one.lease && one.lease->turn == turn.turn) || one.last_turn == turn.turn);
    });
    known.push_back(has || state_.waiters.contains({session, turn.turn}) ||
                    recorded_.ended(turn.turn).has_value());
  }
  return known;
}

void ConversationTables::ask_to_stop(const Owner& owner) {
  Conversation* const one = current(owner.session_key);
  if (one != nullptr && one->lease) one->stop_asked = true;
  sync();
}

Result<conversations::Opened> ConversationTables::start_new(const Owner& owner,
                                                            const Writer& writer,
                                                            const std::string& options,
                                                            Micros now) {
  Conversation* const old = current(owner.session_key);
  if (old == nullptr || old->lease != writer) return lost();
  old->lease.reset();
  for (auto& [key, call] : state_.calls)
    if (key.first == old->id && !call.told_in) call.told_in = 0;
  Conversation made{.id = fmt::format("{:08x}-0000-4000-8000-000000000000", ++made_),
                    .session = owner.session_key};
  made.lease = writer;
  made.lease_until = now + kLeased;
  made.begun_place = old->begun_place;
  made.options = options;
  made.heard = recorded_.last_place();
  state_.conversations.push_back(made);
  sync();
  return conversations::Opened{.conversation = made.id, .head = 0, .options = options};
}

}  // namespace toolway::simulation::turns
