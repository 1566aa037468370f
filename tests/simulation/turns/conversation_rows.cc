// What writers do to the conversation that they have, and what they read of it.
#include <fmt/format.h>

#include <algorithm>

#include "persistence/conversations/postgres_conversations.h"
#include "tests/simulation/turns/conversation_tables.h"

namespace toolway::simulation::turns {
namespace {

using conversations::CallNews;
using conversations::CallNotes;
using conversations::StoredMessage;
using std::chrono::seconds;

/// A call may have ended before it was recorded itself.
constexpr seconds kMayBeUnknown{10};

std::string place_text(std::uint64_t place) { return fmt::format("1.{}", place); }
std::uint64_t place_of(const std::string& text) { return std::stoull(text.substr(2)); }

}  // namespace

void ConversationTables::set_released(Conversation& one) {
  one.last_turn = one.lease->turn;
  one.lease.reset();
  one.stop_asked = false;
}

ConversationTables::Store::Renewed ConversationTables::renew(
    const std::vector<conversations::Lease>& leases, Micros now) {
  Store::Renewed renewed;
  for (const auto& [owner, writer] : leases) {
    const auto found = std::ranges::find_if(state_.conversations, [&](const Conversation& one) {
      return one.session == owner.session_key && one.lease == writer;
    });
    if (found != state_.conversations.end()) found->lease_until = now + kLeased;
    if (found == state_.conversations.end() || found->stop_asked) renewed.stop.push_back(writer);
  }
  return renewed;
}

void ConversationTables::release(const Owner& owner, const Writer& writer) {
  state_.waiters.erase({owner.session_key, writer.turn});
  for (auto& one : state_.conversations)
    if (one.session == owner.session_key && one.lease == writer) set_released(one);
}

void ConversationTables::leave(const Owner& owner, const Writer& writer, Micros now) {
  for (auto& one : state_.conversations)
    if (one.session == owner.session_key && one.lease == writer) one.lease_until = now;
}

void ConversationTables::note(Conversation& one, const CallNotes& notes, std::uint64_t number) {
  for (const auto& call : notes.told)
    if (const auto found = state_.calls.find({one.id, call}); found != state_.calls.end())
      found->second.told_in = number;
  for (const auto& [call, event] : notes.progress)
    if (const auto found = state_.calls.find({one.id, call}); found != state_.calls.end())
      found->second.progress = event;
  // Last: one statement does not see the rows that it adds itself.
  for (const auto& call : notes.detached) state_.calls.try_emplace({one.id, call});
}

Result<void> ConversationTables::append(const std::string& id, const Writer& writer,
                                        const StoredMessage& message, const CallNotes& notes,
                                        Micros now) {
  Conversation* const one = find(id);
  const bool follows =
      one != nullptr && (one->head + 1 == message.number || broken_ == Broken::kNumber);
  if (!follows || !holds(*one, writer))
    return fail(ErrorCode::kWrongLastSequence, "another attempt has the conversation by now");
  one->head = message.number;
  if (!notes.heard.empty()) one->heard = place_of(notes.heard);
  if (notes.begun) {
    one->wakes = notes.begun->wakes;
    one->on_behalf = notes.begun->on_behalf;
    one->options = notes.begun->options;
    one->auto_turns = 0;
  }
  if (!message.ends_turn)
    one->lease_until = now + kLeased;
  else if (one->lease)
    set_released(*one);
  note(*one, notes, message.number);
  auto stored = std::make_shared<Message>(Message{message, writer.attempt});
  stored->stored.turn = writer.turn;
  one->messages.push_back(std::move(stored));
  if (message.kept == conversations::Kept::kAtOnce) sync();
  return {};
}

std::vector<StoredMessage> ConversationTables::last_before(const std::string& id,
                                                           std::uint64_t before,
                                                           std::size_t bytes) const {
  std::vector<StoredMessage> found;
  const Conversation* const one = find(id);
  if (one == nullptr) return found;
  std::size_t so_far = 0;
  for (auto row = one->messages.rbegin(); row != one->messages.rend(); ++row) {
    const auto& message = (*row)->stored;
    if (message.number >= before) continue;
    so_far += message.body.size();
    if (found.size() == conversations::rows_for(bytes) || (so_far > bytes && !found.empty())) break;
    found.push_back({.number = message.number,
                     .turn = message.turn,
                     .role = message.role,
                     .body = message.body});
  }
  std::ranges::reverse(found);
  return found;
}

CallNews ConversationTables::news(const std::string& id, const std::string& after,
                                  Micros now) const {
  CallNews news;
  const Conversation* const one = find(id);
  if (one == nullptr) return news;
  for (auto call = state_.calls.rbegin(); call != state_.calls.rend(); ++call)
    if (call->first.first == id && !call->second.told_in && news.untold.size() < Store::kMaxUntold)
      news.untold.push_back({call->first.second, call->second.progress});
  for (const auto& ended :
       recorded_.mailbox(one->session, after.empty() ? one->heard : place_of(after))) {
    if (news.ended.size() == Store::kMaxHeard) break;
    if (!ended.known && ended.at > now - kMayBeUnknown) break;
    news.ended.push_back({ended.call, ended.of_turn, place_text(ended.place)});
  }
  return news;
}

bool ConversationTables::count_auto_turn(const std::string& id) {
  Conversation* const one = find(id);
  if (one == nullptr || one->auto_turns >= conversations::kMaxAutoTurns) return false;
  ++one->auto_turns;
  sync();
  return true;
}

std::vector<conversations::Wakeable> ConversationTables::wakeable(
    double settled_s, const std::vector<std::string>& besides, Micros now) const {
  const auto settled =
      now - std::chrono::duration_cast<Micros>(std::chrono::duration<double>(settled_s));
  std::vector<conversations::Wakeable> found;
  for (auto one = state_.conversations.begin(); one != state_.conversations.end(); ++one) {
    const bool untold = std::ranges::any_of(state_.calls, [&](const auto& entry) {
      if (entry.first.first != one->id || entry.second.told_in) return false;
      const auto at = recorded_.ended(entry.first.second);
      return at && *at < settled;
    });
    const bool replaced = std::any_of(one + 1, state_.conversations.end(), [&](const auto& newer) {
      return newer.session == one->session;
    });
    if (untold && !replaced && one->wakes && one->auto_turns < conversations::kMaxAutoTurns &&
        is_free(*one, Completions::kLookedUp, now) &&
        std::ranges::find(besides, one->id) == besides.end() &&
        others_waiting(one->session, "", Completions::kLookedUp, now) == 0)
      found.push_back({one->id, one->session, one->on_behalf});
  }
  return found;
}

void ConversationTables::stop_waking(const std::string& id) {
  if (Conversation* const one = find(id)) one->wakes = false;
  sync();
}

std::map<std::string, ConversationTables::Call> ConversationTables::calls_of(
    const std::string& id) const {
  std::map<std::string, Call> found;
  for (const auto& [key, call] : state_.calls)
    if (key.first == id) found.emplace(key.second, call);
  return found;
}

}  // namespace toolway::simulation::turns
