#include "chat/turns/stored_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "tools/messages/message_json.h"

namespace toolway::chat::turns {
namespace {

using persistence::conversations::CallNotes;
using persistence::conversations::StoredMessage;
using tools::messages::Message;
using tools::messages::Role;

constexpr std::size_t kMaxDepth = 1000;
constexpr std::size_t kFurtherBack = 4;
/// What is asked of the store at a time, at least.
constexpr std::size_t kMinPortion = 16UL << 10;
constexpr std::size_t kMaxBack = 1UL << 30;

Result<Message> message_of(const StoredMessage& stored) {
  const auto damaged = [&](const std::string& what) {
    return fail(
        ErrorCode::kInternal,
        fmt::format("message {} of the conversation cannot be read: {}", stored.number, what));
  };
  const auto json = parse_ordered_json(stored.body, kMaxDepth);
  if (!json) return damaged(json.error().message);
  Mistakes mistakes;
  auto message = tools::messages::read_message(*json, mistakes, "");
  if (mistakes.count() > 0) return damaged(std::move(mistakes).take().front().text());
  return message;
}

/// What may come first of a history: nothing that answers something before it.
bool may_begin(const StoredMessage& message) {
  return message.number == 1 || message.role == tools::messages::role_name(Role::kUser) ||
         message.role == tools::messages::role_name(Role::kSystem);
}

/// What a turn that was stopped has stored in place of a reply.
bool is_stop_mark(const Message& message) {
  return message.role == Role::kAssistant && message.parts.empty() &&
         message.finish == tools::messages::Finish::kStop;
}

/// A reply that ends its turn.
bool is_reply(const Message& message) {
  return message.role == Role::kAssistant && !tools::messages::has_calls(message) &&
         !is_stop_mark(message) && message.finish != tools::messages::Finish::kPaused;
}

void put_before(OlderMessages::Messages older, OlderMessages::Messages& messages) {
  messages.insert(messages.begin(), std::make_move_iterator(older.begin()),
                  std::make_move_iterator(older.end()));
}

CallNotes notes_of(const Message& message) {
  CallNotes notes{.detached = {}, .told = message.about};
  for (const auto& result : message.results)
    if (result.detached && !result.ran_as.empty()) notes.detached.push_back(result.ran_as);
  for (const auto& told : message.progress) notes.progress.push_back({told.ran_as, told.event});
  return notes;
}

}  // namespace

Result<std::unique_ptr<StoredMemory>> StoredMemory::open(
    Store& store, Owner owner, Writer writer, const persistence::conversations::Opened& opened,
    std::size_t window, const Clock& clock) {
  std::unique_ptr<StoredMemory> memory(
      new StoredMemory(store, std::move(owner), std::move(writer), opened, window, clock));
  memory->news_at_ = clock.monotonic();
  // One that has just begun has nothing to learn of.
  if (opened.head == 0) return memory;
  // No text has more tokens than bytes, so all of it may be sent.
  ASSIGN_OR_RETURN(auto read, store.read(opened.conversation, opened.head + 1, window));
  memory->older_.came(std::move(read.messages));
  RETURN_IF_ERROR(memory->read_newest());
  RETURN_IF_ERROR(memory->take_news(std::move(read.news)));
  return memory;
}

Result<void> StoredMemory::read_newest() {
  ASSIGN_OR_RETURN(auto stored, with_own());
  // A turn may be longer than what is sent of it: its message is what it goes back to.
  while (std::ranges::none_of(stored, may_begin) && !older_.complete() &&
         older_.bytes() < kMaxBack) {
    ASSIGN_OR_RETURN(auto before, older_.next(older_.bytes() * kFurtherBack));
    put_before(std::move(before), stored);
  }
  RETURN_IF_ERROR(end_at_own_reply(stored));
  for (const auto& one : stored) {
    const bool own = one.turn == writer_.turn;
    if (first_ == 0 && own) first_ = one.number;
    own_at_end_ = own ? own_at_end_ + 1 : 0;
    // What another turn has stored since does not answer this one.
    begun_ = own && (begun_ || one.role == tools::messages::role_name(Role::kUser) ||
                     one.role == tools::messages::role_name(Role::kInjected));
  }
  begun_ = begun_ || replied_;
  return show(std::move(stored));
}

/// The newest messages. While the next attempt of a turn was due, other turns may have filled what
/// is usually read.
Result<StoredMemory::Messages> StoredMemory::with_own() {
  const auto is_own = [this](const StoredMessage& message) { return message.turn == writer_.turn; };
  ASSIGN_OR_RETURN(auto stored, older_.next(window_));
  if (writer_.attempt == 1 || stored.empty()) return stored;
  Messages before;
  bool found = std::ranges::any_of(stored, is_own);
  const auto all_read = [&] {
    const auto& oldest = before.empty() ? stored.front() : before.front();
    return older_.complete() || older_.bytes() >= window_ * kBytesPerToken * kFurtherBack ||
           (found && !is_own(oldest));
  };
  while (!all_read()) {
    ASSIGN_OR_RETURN(auto next, older_.next(older_.bytes()));
    found = found || std::ranges::any_of(next, is_own);
    put_before(std::move(next), before);
  }
  if (found)
    put_before(std::move(before), stored);
  else
    older_.put_back(std::move(before));
  return stored;
}

/// What comes before all that is there. What may not come first waits for the messages before it.
Result<void> StoredMemory::show(Messages stored) {
  const auto first = std::ranges::find_if(stored, may_begin);
  std::vector<Message> messages;
  for (auto one = first; one != stored.end(); ++one) {
    ASSIGN_OR_RETURN(auto message, message_of(*one));
    // A call that was cancelled has no other attempt: it was the process that stopped the turn.
    // What is shown already begins with another turn.
    const auto next = one + 1;
    const bool continued =
        one->turn == writer_.turn || (next != stored.end() && next->turn == one->turn);
    if (continued && is_stop_mark(message)) continue;
    messages.push_back(std::move(message));
  }
  RETURN_IF_ERROR(history_.prepend(std::move(messages)));
  stored.erase(first, stored.end());
  const bool is_rest = older_.complete() || older_.full();
  if (is_rest && history_.summary() == nullptr) RETURN_IF_ERROR(take_summary(stored));
  older_.put_back(std::move(stored));
  return {};
}

/// Of messages that are not shown, the last summary is.
Result<void> StoredMemory::take_summary(const Messages& messages) {
  const auto last =
      std::ranges::find(messages.rbegin(), messages.rend(),
                        tools::messages::role_name(Role::kSummary), &StoredMessage::role);
  if (last == messages.rend()) return {};
  ASSIGN_OR_RETURN(auto summary, message_of(*last));
  return history_.prepend({std::move(summary)});
}

Result<std::size_t> StoredMemory::read_further(double share) {
  if (replied_) return 0;
  const auto bytes = std::max<std::size_t>(
      static_cast<std::size_t>(share * static_cast<double>(older_.bytes())), kMinPortion);
  const auto before = history_.messages().size();
  Messages stored;
  for (bool may = false; !may && older_.more();) {
    ASSIGN_OR_RETURN(auto next, older_.next(bytes));
    may = std::ranges::any_of(next, may_begin);
    put_before(std::move(next), stored);
  }
  RETURN_IF_ERROR(show(std::move(stored)));
  return history_.messages().size() - before;
}

/// The process may have been killed after the last message and before the call's completion, and
/// the next turn may have begun since.
Result<void> StoredMemory::end_at_own_reply(std::vector<StoredMessage>& stored) {
  const auto newest =
      std::ranges::find(stored.rbegin(), stored.rend(), writer_.turn, &StoredMessage::turn);
  if (newest == stored.rbegin() || newest == stored.rend()) return {};
  ASSIGN_OR_RETURN(const auto message, message_of(*newest));
  if (!is_reply(message)) return {};
  stored.erase(newest.base(), stored.end());
  head_ = stored.back().number;
  replied_ = broken_ = true;
  return {};
}

/// What there is to tell of calls.
Result<void> StoredMemory::read_news() {
  news_at_ = clock_.monotonic();
  ASSIGN_OR_RETURN(auto news, store_.news(id_, heard_));
  return take_news(std::move(news));
}

/// As long as there is nothing to tell in what was read, there may be something after it.
Result<void> StoredMemory::take_news(persistence::conversations::CallNews news) {
  for (;;) {
    earlier_.clear();
    for (const auto& one : news.untold)
      earlier_.push_back({.ran_as = one.call, .event = one.event});
    ended_ = std::move(news.ended);
    const bool further =
        ended_.size() == Store::kMaxHeard && std::ranges::all_of(ended_, &Ended::of_turn);
    heard_of(0);
    if (!further) return {};
    ASSIGN_OR_RETURN(news, store_.news(id_, heard_));
  }
}

Result<std::vector<std::string>> StoredMemory::ended_elsewhere() {
  // What it has learned of is stored with the next message, and would be found again before that.
  if (heard_.empty() && clock_.monotonic() - news_at_ >= kNewsAge) RETURN_IF_ERROR(read_news());
  std::vector<std::string> calls;
  for (const auto& one : ended_)
    if (!one.of_turn) calls.push_back(one.call);
  return calls;
}

void StoredMemory::heard_of(std::size_t calls) {
  auto unheard = ended_.begin();
  for (; unheard != ended_.end() && (unheard->of_turn || calls > 0); ++unheard) {
    if (!unheard->of_turn) --calls;
    heard_ = unheard->place;
  }
  ended_.erase(ended_.begin(), unheard);
}

std::vector<std::string> StoredMemory::pending_calls() const {
  auto pending = tools::messages::pending_calls(history_.messages());
  for (const auto& [call, event] : earlier_)
    if (std::ranges::find(pending, call) == pending.end()) pending.push_back(call);
  return pending;
}

std::vector<tools::messages::ToldProgress> StoredMemory::told_progress() const {
  auto told = earlier_;
  for (const auto& newer : tools::messages::told_progress(history_.messages()))
    tools::messages::note_progress(told, newer);
  return told;
}

Result<void> StoredMemory::append(Message message) {
  if (broken_)
    return fail(ErrorCode::kInternal, "an earlier message could not be stored: begin a new turn");
  RETURN_IF_ERROR(history_.append(std::move(message)));
  const Message& added = history_.newest();
  const StoredMessage stored{.number = head_ + 1,
                             .turn = writer_.turn,
                             .role = std::string(tools::messages::role_name(added.role)),
                             .body = to_text(tools::messages::message_json(added)),
                             .kept = kept(added.role),
                             .ends_turn = is_reply(added) && !each_at_once_};
  auto notes = notes_of(added);
  notes.heard = std::exchange(heard_, {});
  notes.begun = std::exchange(starts_, {});
  if (const auto done = store_.append(id_, writer_, stored, notes); !done) {
    broken_ = true;
    return tl::unexpected(done.error());
  }
  for (const auto& told : added.about)
    std::erase_if(earlier_, [&](const auto& one) { return one.ran_as == told; });
  head_ = stored.number;
  if (first_ == 0) first_ = head_;
  released_ = stored.ends_turn;
  return {};
}

persistence::conversations::Kept StoredMemory::kept(Role role) const {
  using persistence::conversations::Kept;
  // Before a call runs, and before a reply is given, all of it is safe. What comes between is with
  // the next one: if it is lost, so is what was stored after it, and the turn learns of that.
  return role == Role::kAssistant || each_at_once_ ? Kept::kAtOnce : Kept::kWithNext;
}

Result<void> StoredMemory::start_new() {
  ASSIGN_OR_RETURN(auto opened, store_.start_new(owner_, writer_, {}));
  id_ = std::move(opened.conversation);
  head_ = 0;
  older_ = OlderMessages(store_, id_, head_, 0);
  history_ = {};
  earlier_.clear();
  ended_.clear();
  heard_.clear();
  replied_ = broken_ = false;
  return {};
}

}  // namespace toolway::chat::turns
