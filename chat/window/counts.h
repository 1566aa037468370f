#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chat/window/tokens.h"

namespace toolway::chat::window {

/// What the messages of one conversation have, each counted once. Not thread-safe.
class Counts {
 public:
  /// Of the message at `index`, with its blocks as they are sent.
  const Tokens& of(const std::vector<tools::messages::Message>& messages, std::size_t index,
                   tools::messages::Blocks blocks);
  /// `messages` were put before all that are known.
  void shift(std::size_t messages);
  /// How many messages have been counted so far.
  std::size_t counted() const { return counted_; }

 private:
  std::vector<std::optional<Tokens>> known_;
  std::size_t counted_ = 0;
  tools::messages::Blocks blocks_ = tools::messages::Blocks::kAsText;
};

}  // namespace toolway::chat::window
