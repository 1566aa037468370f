#pragma once

#include <chrono>
#include <string>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::wire {

/// The events of an answer, as text, while they come. On the io_context's thread.
class EventStream {
 public:
  enum class Turn { kEvents, kQuiet, kEnded, kStopped };
  virtual ~EventStream() = default;
  /// Waits for events and appends them to `out`; kQuiet after 15 s without any, kEnded after the
  /// last there can be, kStopped after `stop`: there is more, for a reader that resumes. What it
  /// appended counts as held until it is called again.
  virtual loop::Task<Turn> next(std::string& out) = 0;
  virtual void stop() = 0;
  /// How long `next` waits from now on without any, instead of 15 s.
  virtual void quiet_after(std::chrono::milliseconds silence) = 0;
  /// The reader has gone, not sent away by us: the last that is asked of it.
  virtual loop::Task<void> left() = 0;
};

}  // namespace toolway::gateway::wire
