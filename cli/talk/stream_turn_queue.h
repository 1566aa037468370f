#pragma once

#include "base/clock.h"
#include "bus/stream_reader.h"
#include "chat/turns/turn_queue.h"

namespace toolway::cli::talk {

/// A message of stream CALLS as the queue has it. Pure.
chat::turns::TurnQueue::Found queued_turn(Result<bus::StoredMessage> message);

/// The turns in stream CALLS. Any replica may answer: one that has a message has all before it.
class StreamTurnQueue final : public chat::turns::TurnQueue {
 public:
  /// Both outlive it.
  StreamTurnQueue(bus::StreamReader& streams, const Clock& clock)
      : streams_(streams), clock_(clock) {}
  /// Waits for a second at most. Not for threads of the bus.
  std::vector<Found> next(const std::vector<chat::turns::QueuePlace>& places) override;

 private:
  bus::StreamReader& streams_;
  const Clock& clock_;
};

}  // namespace toolway::cli::talk
