#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "mcp/client_messages.h"

namespace toolway::tools::executors::mcp_client {

/// A server may ask as often as it likes, under ids of its own making, and need not read what it is
/// answered: what is kept for it is bounded, the id of each reply and the replies that wait
/// together.
inline constexpr std::size_t kMaxRepliedId = 64;
inline constexpr std::size_t kMaxUnreadReplies = 1024 * 1024;

/// What a server's request is answered with, as text; nothing: its id is too long to be sent back.
inline std::optional<std::string> reply_to(const mcp::Request& request) {
  if (mcp::id_text(request.id).size() > kMaxRepliedId) return std::nullopt;
  return mcp::encode(mcp::answer_to(request));
}

/// The same for a question whose call cannot be told.
inline std::optional<std::string> stray_reply_to(const mcp::Request& request) {
  if (mcp::id_text(request.id).size() > kMaxRepliedId) return std::nullopt;
  return mcp::encode(mcp::answer_to_stray(request));
}

}  // namespace toolway::tools::executors::mcp_client
