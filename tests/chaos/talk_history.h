#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace toolway::chaos {

/// The tool whose calls are turns.
inline constexpr const char* kTurnTool = "toolway.turn";
/// How requests for turns are told from other requests for calls.
inline constexpr const char* kMessages = "messages";

/// A message of a conversation, as a gateway showed it.
struct MessageShown {
  std::uint64_t number = 0;
  std::string role;
  std::size_t digest = 0;  ///< of its turn and all that it says

  bool operator==(const MessageShown&) const = default;
};

/// A page of a conversation, as it was read.
struct MessagePage {
  std::string user;
  std::string session;
  std::string gateway;
  std::string conversation;  ///< empty: the session had none
  std::int64_t at_us = 0;
  std::vector<MessageShown> messages;
  std::string owners;
};

/// What a talker knows of one of its sessions.
struct Talk {
  std::string user;
  std::string session;
  /// Calls that it made besides its messages, while the conversation was there that is the
  /// session's last one.
  std::set<std::string> elsewhere;
  std::string last_turn;  ///< that was begun after the storm; empty: none was taken
};

}  // namespace toolway::chaos
