#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chat/engine/memory.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// What is read of a history for each token of the model's window: some texts have that much.
inline constexpr std::size_t kBytesPerToken = 6;
/// And for images and documents besides, which push no text out.
inline constexpr std::size_t kMaxReadBlockBytes = 16UL << 20;

/// A conversation in a store, of which what a model's window can hold is read: from a message of
/// the user on. Each message is stored under its number in the writer's name, so one that has lost
/// the conversation adds nothing.
class StoredMemory final : public engine::Memory {
 public:
  using Store = persistence::conversations::ConversationStore;
  using Owner = persistence::conversations::Owner;
  using Writer = persistence::conversations::Writer;

  /// `store` outlives it. `opened` is what `writer` has taken. Errors: the store's; kInternal (a
  /// message that is not of this program).
  static Result<std::unique_ptr<StoredMemory>> open(
      Store& store, Owner owner, Writer writer, const persistence::conversations::Opened& opened,
      std::size_t bytes);

  const std::string& conversation() const override { return id_; }
  const history::History& history() const override { return history_; }
  std::uint64_t head() const override { return head_; }
  std::vector<std::string> pending_calls() const override;
  std::vector<history::ToldProgress> told_progress() const override;
  Result<void> append(history::Message message) override;
  Result<void> start_new() override;
  /// From now on each message is safe once `append` has returned; else an assistant's is, with all
  /// before it.
  void keep_each_at_once() { each_at_once_ = true; }

  /// Whether an earlier attempt of this turn has stored what the turn is about. Results alone are
  /// not that: they may be of calls that a turn before it left open. Nor is it begun when another
  /// turn has stored something since: the newest reply is that turn's. Unless this one's own reply
  /// is stored: then the history ends there, and nothing can be added.
  bool begun() const { return begun_; }
  /// The number of this turn's first message; 0: there is none yet.
  std::uint64_t first() const { return first_; }

 private:
  StoredMemory(Store& store, Owner owner, Writer writer,
               const persistence::conversations::Opened& opened)
      : store_(store),
        owner_(std::move(owner)),
        writer_(std::move(writer)),
        id_(opened.conversation),
        head_(opened.head) {}
  Result<void> read(std::size_t bytes);
  using Messages = std::vector<persistence::conversations::StoredMessage>;
  Result<Messages> newest(std::size_t bytes);
  Result<void> look_for_own(Messages& stored, std::size_t bytes);
  Result<void> end_at_own_reply(Messages& stored);
  persistence::conversations::Kept kept(history::Role role) const;

  Store& store_;
  const Owner owner_;
  const Writer writer_;
  std::string id_;
  std::uint64_t head_ = 0;
  std::uint64_t first_ = 0;
  history::History history_;
  /// Calls that were pending when it was opened, and still are.
  std::vector<history::ToldProgress> earlier_;
  bool begun_ = false;
  bool replied_ = false;  ///< this turn has, and others have come since
  bool broken_ = false;
  bool each_at_once_ = false;
};

}  // namespace toolway::chat::turns
