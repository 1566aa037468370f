#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// What is read of a history at most for each token of the model's window: some texts have that
/// much.
inline constexpr std::size_t kBytesPerToken = 6;
/// And for images and documents besides, which push no text out.
inline constexpr std::size_t kMaxReadBlockBytes = 16UL << 20;

/// The stored messages of a conversation, from the newest back. Not thread-safe.
class OlderMessages {
 public:
  using Store = persistence::conversations::ConversationStore;
  using Messages = std::vector<persistence::conversations::StoredMessage>;

  /// `store` outlives it. `head`: the number of the last message; `window`: the model's, in tokens.
  OlderMessages(Store& store, std::string conversation, std::uint64_t head, std::size_t window)
      : store_(&store),
        conversation_(std::move(conversation)),
        before_(head + 1),
        window_(window) {}

  /// What was put back, or the messages before, of at most `bytes` but at least one. Oldest first.
  /// Errors: the store's.
  Result<Messages> next(std::size_t bytes);
  /// The newest messages, which were read with other things.
  void came(Messages newest);
  /// What `next` begins with, after what was put back before.
  void put_back(Messages messages) {
    put_back_.insert(put_back_.end(), std::make_move_iterator(messages.begin()),
                     std::make_move_iterator(messages.end()));
  }

  /// Whether `next` has more that the window may hold.
  bool more() const { return !put_back_.empty() || (!complete() && !full()); }
  /// Whether the conversation has no older ones.
  bool complete() const { return before_ <= 1; }
  /// Whether as much was read as the window can hold.
  bool full() const;

  std::size_t messages() const { return messages_; }
  std::size_t bytes() const { return text_bytes_ + block_bytes_; }

 private:
  void count(const Messages& read);

  Store* store_;
  std::string conversation_;
  std::uint64_t before_ = 1;  // messages with lower numbers are not read
  std::size_t window_ = 0;
  Messages put_back_;
  std::size_t messages_ = 0;
  std::size_t text_bytes_ = 0;
  std::size_t block_bytes_ = 0;
};

}  // namespace toolway::chat::turns
