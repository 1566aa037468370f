#include "chat/turns/older_messages.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "tools/messages/message.h"

namespace toolway::chat::turns {
namespace {

/// Of the data of images and documents; each is a member `data` in base64, which a message of the
/// assistant may have for other things.
std::size_t block_bytes(const persistence::conversations::StoredMessage& message) {
  constexpr std::string_view kBegin = "\"data\":\"";
  if (message.role == tools::messages::role_name(tools::messages::Role::kAssistant)) return 0;
  std::size_t bytes = 0;
  const std::string_view body = message.body;
  for (auto at = body.find(kBegin); at != std::string_view::npos; at = body.find(kBegin, at)) {
    at += kBegin.size();
    const auto end = std::min(body.find('"', at), body.size());
    bytes += end - at;
    at = end;
  }
  return bytes;
}

}  // namespace

Result<OlderMessages::Messages> OlderMessages::next(std::size_t bytes) {
  if (!put_back_.empty()) return std::exchange(put_back_, {});
  if (complete()) return Messages();
  ASSIGN_OR_RETURN(auto found, store_->last_before(conversation_, before_, bytes));
  count(found);
  return found;
}

void OlderMessages::came(Messages newest) {
  count(newest);
  put_back(std::move(newest));
}

void OlderMessages::count(const Messages& read) {
  before_ = read.empty() ? 1 : read.front().number;
  messages_ += read.size();
  for (const auto& message : read) {
    const auto blocks = block_bytes(message);
    block_bytes_ += blocks;
    text_bytes_ += message.body.size() - blocks;
  }
}

bool OlderMessages::full() const {
  return text_bytes_ + block_bytes_ - std::min(block_bytes_, kMaxReadBlockBytes) >=
         window_ * kBytesPerToken;
}

}  // namespace toolway::chat::turns
