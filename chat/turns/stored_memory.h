#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "chat/engine/memory.h"
#include "chat/turns/older_messages.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// While a turn runs, it hears so often of calls that others make.
inline constexpr std::chrono::seconds kNewsAge{1};

/// A conversation in a store, of which as much is read as is asked for: from a message of the user
/// on. Each message is stored under its number in the writer's name, so one that has lost
/// the conversation adds nothing.
class StoredMemory final : public engine::Memory {
 public:
  using Store = persistence::conversations::ConversationStore;
  using Owner = persistence::conversations::Owner;
  using Writer = persistence::conversations::Writer;

  /// `store` and `clock` outlive it. `opened` is what `writer` has taken; `window`: the model's, in
  /// tokens. Errors: the store's; kInternal (a message that is not of this program).
  static Result<std::unique_ptr<StoredMemory>> open(
      Store& store, Owner owner, Writer writer, const persistence::conversations::Opened& opened,
      std::size_t window, const Clock& clock);

  const std::string& conversation() const override { return id_; }
  const tools::messages::History& history() const override { return history_; }
  Result<std::size_t> read_further(double share) override;
  std::uint64_t head() const override { return head_; }
  std::vector<std::string> pending_calls() const override;
  std::vector<tools::messages::ToldProgress> told_progress() const override;
  Result<std::vector<std::string>> ended_elsewhere() override;
  void heard_of(std::size_t calls) override;
  Result<void> append(tools::messages::Message message) override;
  Result<void> start_new() override;
  /// A turn of the user begins: stored with the message that is appended next.
  void begin(persistence::conversations::CallNotes::UserTurn turn) { starts_ = std::move(turn); }
  /// From now on each message is safe once `append` has returned; else an assistant's is, with all
  /// before it.
  void keep_each_at_once() { each_at_once_ = true; }

  /// Whether an earlier attempt of this turn has stored what the turn is about. Results alone are
  /// not that: they may be of calls that a turn before it left open. Nor is it begun when another
  /// turn has stored something since: the newest reply is that turn's. Unless this one's own reply
  /// is stored: then the history ends there, and nothing can be added.
  bool begun() const { return begun_; }
  /// How many messages at the end an earlier attempt of this turn has stored.
  std::uint64_t own_at_end() const { return own_at_end_; }
  /// The number of this turn's first message; 0: there is none yet.
  std::uint64_t first() const { return first_; }
  /// Whether the turn's reply is stored, and the conversation released with it: that saves a
  /// transaction.
  bool released() const { return released_; }
  /// What was read of the store.
  struct Read {
    std::size_t messages = 0;
    std::size_t bytes = 0;
  };
  Read read() const { return {older_.messages(), older_.bytes()}; }

 private:
  using Messages = std::vector<persistence::conversations::StoredMessage>;
  using Ended = persistence::conversations::CallNews::Ended;

  StoredMemory(Store& store, Owner owner, Writer writer,
               const persistence::conversations::Opened& opened, std::size_t window,
               const Clock& clock)
      : store_(store),
        owner_(std::move(owner)),
        writer_(std::move(writer)),
        window_(window),
        clock_(clock),
        id_(opened.conversation),
        head_(opened.head),
        older_(store, id_, head_, window) {}
  Result<void> read_newest();
  Result<void> end_at_own_reply(Messages& stored);
  Result<Messages> with_own();
  Result<void> show(Messages stored);
  Result<void> take_summary(const Messages& messages);
  Result<void> read_news();
  Result<void> take_news(persistence::conversations::CallNews news);
  persistence::conversations::Kept kept(tools::messages::Role role) const;

  Store& store_;
  const Owner owner_;
  const Writer writer_;
  const std::size_t window_;  ///< in tokens
  const Clock& clock_;
  std::string id_;
  std::uint64_t head_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t own_at_end_ = 0;
  OlderMessages older_;
  tools::messages::History history_;
  /// Calls that were pending when it was opened, and still are.
  std::vector<tools::messages::ToldProgress> earlier_;
  std::vector<Ended> ended_;  ///< that it has not learned of
  std::string heard_;         ///< is stored with the next message
  std::optional<persistence::conversations::CallNotes::UserTurn> starts_;  ///< likewise
  MonotonicTime news_at_{};
  bool begun_ = false;
  bool replied_ = false;  ///< this turn has, and others have come since
  bool broken_ = false;
  bool each_at_once_ = false;
  bool released_ = false;
};

}  // namespace toolway::chat::turns
