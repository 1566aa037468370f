#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace toolway::bus {

/// A message to be stored in a stream.
struct Publication {
  std::string subject;
  std::string payload;
  /// Nats-Msg-Id: within two minutes a second publication of this id is
  /// acknowledged with the first one's sequence and stored once. Empty: none.
  std::string message_id{};
  /// The sequence that the subject's last message must have; 0: it must have none.
  std::optional<std::uint64_t> expected_last{};
};

struct PubAck {
  std::uint64_t sequence = 0;
  bool duplicate = false;
};

using PublishHandler = std::function<void(Result<PubAck>)>;

/// What a process stores in streams. Threads and handlers: as of `Bus`.
class Publisher {
 public:
  virtual ~Publisher() = default;
  /// Stores a message and reports its PubAck. Never blocks. Errors:
  /// kBusUnavailable (certainly not sent), kTimeout (sent, no answer within
  /// publish_timeout: may be stored), kWrongLastSequence (certainly not stored
  /// by this publication), kOverloaded (max_in_flight publications unanswered;
  /// not sent), kInternal (refused by the server: the message says why).
  virtual void publish(Publication publication, PublishHandler handler) = 0;
};

}  // namespace toolway::bus
