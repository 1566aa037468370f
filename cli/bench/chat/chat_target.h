#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "cli/bench/chat/model_at_hand.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::chat {

/// What turns are measured on: a stack with a chat process that asks `model`.
struct ChatTarget {
  process::HostPort where;
  std::string user;
  std::string run;  ///< part of the names of sessions
  ModelAtHand& model;
  int chat_pid = 0;
};

/// The name of a session of the bench: `of` says for what.
std::string session_name(const ChatTarget& target, std::string_view of, std::size_t number);

/// Opens sessions 0 … count - 1, with the tools of namespace `bench`. Errors: as
/// connections::ask_all.
Result<void> open_sessions(const ChatTarget& target, std::string_view of, std::size_t count);

/// A request as bytes; `headers`: more of them, each with its line end. An empty body: GET.
std::string session_request(const ChatTarget& target, const std::string& session,
                            const std::string& path, const std::string& body,
                            const std::string& headers = "");
/// One that begins a turn.
std::string message_request(const ChatTarget& target, const std::string& session,
                            const std::string& content, const std::string& headers);

}  // namespace toolway::cli::bench::chat
