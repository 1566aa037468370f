#include "chat/turns/stored_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "chat/history/message_json.h"

namespace toolway::chat::turns {
namespace {

using history::Message;
using history::Role;
using persistence::conversations::CallNotes;
using persistence::conversations::StoredMessage;

constexpr std::size_t kMaxDepth = 1000;
constexpr std::size_t kFurtherBack = 4;
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
  auto message = history::read_message(*json, mistakes, "");
  if (mistakes.count() > 0) return damaged(std::move(mistakes).take().front().text());
  return message;
}

/// What may come first of a history: nothing that answers something before it.
bool may_begin(const StoredMessage& message) {
  return message.number == 1 || message.role == history::role_name(Role::kUser) ||
         message.role == history::role_name(Role::kSystem);
}

/// What a turn that was stopped has stored in place of a reply.
bool is_stop_mark(const Message& message) {
  return message.role == Role::kAssistant && message.parts.empty() &&
         message.finish == history::Finish::kStop;
}

/// A reply that ends its turn.
bool is_reply(const Message& message) {
  return message.role == Role::kAssistant && !history::has_calls(message) &&
         !is_stop_mark(message) && message.finish != history::Finish::kPaused;
}

/// Of the data of images and documents; each is a member `data` of results, or of what the user
/// said, in base64.
std::size_t block_bytes(const std::vector<StoredMessage>& messages) {
  constexpr std::string_view kBegin = "\"data\":\"";
  std::size_t bytes = 0;
  for (const auto& message : messages) {
    if (message.role != history::role_name(Role::kResults) &&
        message.role != history::role_name(Role::kUser))
      continue;
    const std::string_view body = message.body;
    for (auto at = body.find(kBegin); at != std::string_view::npos; at = body.find(kBegin, at)) {
      at += kBegin.size();
      const auto end = std::min(body.find('"', at), body.size());
      bytes += end - at;
      at = end;
    }
  }
  return bytes;
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
    std::size_t bytes) {
  std::unique_ptr<StoredMemory> memory(
      new StoredMemory(store, std::move(owner), std::move(writer), opened));
  RETURN_IF_ERROR(memory->read(bytes));
  return memory;
}

Result<void> StoredMemory::read(std::size_t bytes) {
  ASSIGN_OR_RETURN(auto stored, newest(bytes));
  // A turn may be longer than what is sent of it: its message is what it goes back to.
  while (!stored.empty() && bytes < kMaxBack && std::ranges::none_of(stored, may_begin)) {
    bytes *= kFurtherBack;
    ASSIGN_OR_RETURN(stored, newest(bytes));
  }
  RETURN_IF_ERROR(look_for_own(stored, bytes));
  RETURN_IF_ERROR(end_at_own_reply(stored));
  ASSIGN_OR_RETURN(const auto untold, store_.untold(id_));
  for (const auto& one : untold) earlier_.push_back({.ran_as = one.call, .event = one.event});
  bool shown = false;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto& one = stored[i];
    ASSIGN_OR_RETURN(auto message, message_of(one));
    const bool own = one.turn == writer_.turn;
    if (first_ == 0 && own) first_ = one.number;
    // What another turn has stored since does not answer this one.
    begun_ = own && (begun_ || message.role == Role::kUser || message.role == Role::kInjected);
    shown = shown || may_begin(one);
    if (!shown && message.role != Role::kSummary) continue;
    // A call that was cancelled has no other attempt: it was the process that stopped the turn.
    const bool continued = own || (i + 1 < stored.size() && stored[i + 1].turn == one.turn);
    if (continued && is_stop_mark(message)) continue;
    RETURN_IF_ERROR(history_.append(std::move(message)));
  }
  begun_ = begun_ || replied_;
  return {};
}

/// As many messages as have `bytes` besides their images and documents.
Result<StoredMemory::Messages> StoredMemory::newest(std::size_t bytes) {
  ASSIGN_OR_RETURN(auto stored, store_.newest(id_, bytes));
  // What is read for them may have more of them: twice as much ends that soon.
  for (std::size_t more = 0; more < kMaxReadBlockBytes;) {
    const auto blocks = block_bytes(stored);
    if (blocks <= more) break;
    more = std::min(2 * blocks, kMaxReadBlockBytes);
    ASSIGN_OR_RETURN(stored, store_.newest(id_, bytes + more));
  }
  return stored;
}

/// While its next attempt was due, other turns may have filled what is usually read.
Result<void> StoredMemory::look_for_own(std::vector<StoredMessage>& stored, std::size_t bytes) {
  const auto has_own = [this](const std::vector<StoredMessage>& messages) {
    return std::ranges::find(messages, writer_.turn, &StoredMessage::turn) != messages.end();
  };
  if (writer_.attempt == 1 || has_own(stored)) return {};
  ASSIGN_OR_RETURN(auto further, newest(bytes * kFurtherBack));
  if (has_own(further)) stored = std::move(further);
  return {};
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

std::vector<std::string> StoredMemory::pending_calls() const {
  auto pending = history::pending_calls(history_.messages());
  for (const auto& [call, event] : earlier_)
    if (std::ranges::find(pending, call) == pending.end()) pending.push_back(call);
  return pending;
}

std::vector<history::ToldProgress> StoredMemory::told_progress() const {
  auto told = earlier_;
  for (const auto& newer : history::told_progress(history_.messages()))
    history::note_progress(told, newer);
  return told;
}

Result<void> StoredMemory::append(Message message) {
  if (broken_)
    return fail(ErrorCode::kInternal, "an earlier message could not be stored: begin a new turn");
  RETURN_IF_ERROR(history_.append(std::move(message)));
  const Message& added = history_.newest();
  const StoredMessage stored{.number = head_ + 1,
                             .turn = writer_.turn,
                             .role = std::string(history::role_name(added.role)),
                             .body = to_text(history::message_json(added)),
                             .kept = kept(added.role)};
  if (const auto done = store_.append(id_, writer_, stored, notes_of(added)); !done) {
    broken_ = true;
    return tl::unexpected(done.error());
  }
  for (const auto& told : added.about)
    std::erase_if(earlier_, [&](const auto& one) { return one.ran_as == told; });
  head_ = stored.number;
  if (first_ == 0) first_ = head_;
  return {};
}

persistence::conversations::Kept StoredMemory::kept(Role role) const {
  using persistence::conversations::Kept;
  // Before a call runs, and before a reply is given, all of it is safe. What comes between is with
  // the next one: if it is lost, so is what was stored after it, and the turn learns of that.
  return role == Role::kAssistant || each_at_once_ ? Kept::kAtOnce : Kept::kWithNext;
}

Result<void> StoredMemory::start_new() {
  ASSIGN_OR_RETURN(auto opened, store_.start_new(owner_, writer_));
  id_ = std::move(opened.conversation);
  head_ = 0;
  history_ = {};
  earlier_.clear();
  replied_ = broken_ = false;
  return {};
}

}  // namespace toolway::chat::turns
