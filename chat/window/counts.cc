#include "chat/window/counts.h"

namespace toolway::chat::window {

const Tokens& Counts::of(const std::vector<tools::messages::Message>& messages, std::size_t index,
                         tools::messages::Blocks blocks) {
  if (blocks != blocks_) known_.clear();
  blocks_ = blocks;
  if (known_.size() < messages.size()) known_.resize(messages.size());
  auto& known = known_[index];
  if (!known) {
    known = tokens_of(messages[index], blocks);
    ++counted_;
  }
  return *known;
}

void Counts::shift(std::size_t messages) { known_.insert(known_.begin(), messages, std::nullopt); }

}  // namespace toolway::chat::window
