#include "chat/turns/unseen_turns.h"

#include <algorithm>
#include <utility>

#include "chat/turns/turn_wish.h"

namespace toolway::chat::turns {
namespace {

/// A turn that waits comes several times in that time.
constexpr std::chrono::seconds kComesWithin{10};

}  // namespace

/// How far one turn's search is.
struct UnseenTurns::Search {
  enum class State {
    kLooks,  ///< for the message at `progress.from`, or the first one after it
    kAsks,   ///< whether Postgres knows of turn `other`
    kFirst,  ///< it may begin
    kWaits,
  };
  Search(const ComingTurn& of, const Progress* before) : turn(of) {
    if (before) progress = *before;
    // Of a stream that lost its messages the last place says nothing.
    if (turn.begun_place < turn.place.sequence)
      progress.from = std::max(progress.from, turn.begun_place + 1);
  }

  const ComingTurn& turn;
  Progress progress{};
  State state = State::kLooks;
  QueuedTurn other{};

  void found(TurnQueue::Found found, WallTime now);
  void pass();
};

void UnseenTurns::Search::found(TurnQueue::Found found, WallTime now) {
  // Without its own message, those before it may be missing, too.
  if (!found || !*found) {
    state = State::kWaits;
    return;
  }
  other = std::move(**found);
  if (other.sequence >= turn.place.sequence) {
    state = State::kFirst;
    return;
  }
  const bool may_matter = other.id != turn.id &&
                          now - other.stored_at < persistence::conversations::kPlaceHolds &&
                          !turn_wish(other.arguments).alone;
  if (may_matter)
    state = State::kAsks;
  else
    pass();
}

void UnseenTurns::Search::pass() {
  progress.from = other.sequence + 1;
  ++progress.passed;
  state = progress.passed < kMaxPassed ? State::kLooks : State::kFirst;
}

std::vector<bool> UnseenTurns::none_before(const std::vector<ComingTurn>& turns) {
  std::vector<Search> searches;
  for (const auto& turn : turns) {
    const auto before = progress_.find(turn.id);
    searches.emplace_back(turn, before == progress_.end() ? nullptr : &before->second);
  }
  const auto looks = [](const Search& one) { return one.state == Search::State::kLooks; };
  while (std::ranges::any_of(searches, looks)) {
    look(searches);
    ask_store(searches);
  }
  remember(searches);
  std::vector<bool> may;
  for (const auto& one : searches) may.push_back(one.state == Search::State::kFirst);
  return may;
}

void UnseenTurns::look(std::vector<Search>& searches) {
  std::vector<Search*> looking;
  std::vector<QueuePlace> places;
  for (auto& one : searches) {
    if (one.state != Search::State::kLooks) continue;
    looking.push_back(&one);
    places.push_back({.subject = one.turn.place.subject, .sequence = one.progress.from});
  }
  auto found = queue_.next(places);
  const auto now = clock_.wall();
  for (std::size_t i = 0; i < looking.size(); ++i) looking[i]->found(std::move(found.at(i)), now);
}

void UnseenTurns::ask_store(std::vector<Search>& searches) {
  std::vector<Search*> asking;
  std::vector<persistence::conversations::Arrival> others;
  for (auto& one : searches) {
    if (one.state != Search::State::kAsks) continue;
    asking.push_back(&one);
    others.push_back({.owner = one.turn.owner, .turn = one.other.id});
  }
  if (asking.empty()) return;
  const auto known = store_.are_known(others);
  for (std::size_t i = 0; i < asking.size(); ++i) {
    if (known && known->at(i))
      asking[i]->pass();
    else
      asking[i]->state = Search::State::kWaits;
  }
}

void UnseenTurns::remember(const std::vector<Search>& searches) {
  const auto now = clock_.monotonic();
  for (const auto& one : searches) {
    progress_.erase(one.turn.id);
    if (one.state != Search::State::kWaits || one.progress.passed == 0) continue;
    auto progress = one.progress;
    progress.at = now;
    progress_.emplace(one.turn.id, progress);
  }
  std::erase_if(progress_, [&](const auto& one) { return now - one.second.at > kComesWithin; });
}

}  // namespace toolway::chat::turns
