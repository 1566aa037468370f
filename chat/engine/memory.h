#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "chat/history/history.h"

namespace toolway::chat::engine {

/// Where a conversation is kept. One writer; one thread at a time.
class Memory {
 public:
  virtual ~Memory() = default;
  /// The conversation's own id: it is part of the keys of its calls.
  virtual const std::string& conversation() const = 0;
  virtual const history::History& history() const = 0;
  /// The number of the last message, from 1; 0: there is none. Those that are not read any more
  /// count, too.
  virtual std::uint64_t head() const { return history().messages().size(); }
  /// The calls that outlived their turn's wait, and whose end no message has told: also of messages
  /// that are not read any more.
  virtual std::vector<std::string> pending_calls() const {
    return history::pending_calls(history().messages());
  }
  /// What was told last of how far calls are; likewise.
  virtual std::vector<history::ToldProgress> told_progress() const {
    return history::told_progress(history().messages());
  }
  /// Appends as `History::append` does, and returns once the message is stored. Errors: its, and
  /// kInternal (it cannot be stored; then nothing more can be appended).
  virtual Result<void> append(history::Message message) = 0;
  /// Begins an empty conversation. Errors: kInternal.
  virtual Result<void> start_new() = 0;
};

/// Gone with the process. `id`: of the conversation; empty: a random one.
std::unique_ptr<Memory> make_memory(std::string id = {});

}  // namespace toolway::chat::engine
