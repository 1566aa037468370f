#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/messages/history.h"

namespace toolway::chat::engine {

/// Where a conversation is kept. One writer; one thread at a time.
class Memory {
 public:
  virtual ~Memory() = default;
  /// The conversation's own id: it is part of the keys of its calls.
  virtual const std::string& conversation() const = 0;
  virtual const tools::messages::History& history() const = 0;
  /// Reads older messages into the history, about `share` of what is read of it, and says how many
  /// came; 0: it has no older ones, or none that may be sent. Errors: kInternal, and those of where
  /// it is kept.
  virtual Result<std::size_t> read_further(double /*share*/) { return 0; }
  /// The number of the last message, from 1; 0: there is none. Those that are not read any more
  /// count, too.
  virtual std::uint64_t head() const { return history().messages().size(); }
  /// The calls that outlived their turn's wait, and whose end no message has told: also of messages
  /// that are not read any more.
  virtual std::vector<std::string> pending_calls() const {
    return tools::messages::pending_calls(history().messages());
  }
  /// What was told last of how far calls are; likewise.
  virtual std::vector<tools::messages::ToldProgress> told_progress() const {
    return tools::messages::told_progress(history().messages());
  }
  /// Calls of the session that no turn made and that have ended since the conversation learned of
  /// such ones last, in the order of their ends. Errors: those of where it is kept.
  virtual Result<std::vector<std::string>> ended_elsewhere() { return std::vector<std::string>(); }
  /// The first `calls` of those are told by the message that is appended next, or never.
  virtual void heard_of(std::size_t /*calls*/) {}
  /// Appends as `History::append` does, and returns once the message is stored. Errors: its, and
  /// kInternal (it cannot be stored; then nothing more can be appended).
  virtual Result<void> append(tools::messages::Message message) = 0;
  /// Begins an empty conversation. Errors: kInternal.
  virtual Result<void> start_new() = 0;
};

/// Gone with the process. `id`: of the conversation; empty: a random one.
std::unique_ptr<Memory> make_memory(std::string id = {});

}  // namespace toolway::chat::engine
