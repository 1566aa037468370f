#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace toolway::bus {

/// A message as it is stored.
struct StoredMessage {
  std::string subject;
  std::string payload;
  std::uint64_t sequence = 0;
  WallTime stored_at{};
};

/// What a pull client asks from: an existing durable of a stream.
struct Durable {
  std::string stream;
  std::string name;
};

/// Which replica may answer a read: any (fast, may lag; for information), or the
/// leader (what a decision after a refusal needs).
enum class ReadFrom { kAnyReplica, kLeader };

struct StreamState {
  /// Milliseconds since the epoch at which the stream was created: sequences are comparable only
  /// within one incarnation, and a later one is larger. Changes of its configuration and restarts
  /// of the server keep it.
  std::int64_t incarnation = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::int64_t max_bytes = -1;           ///< -1: no limit
  std::chrono::milliseconds max_age{0};  ///< 0: no limit
  std::uint32_t replicas = 1;            ///< how many servers have it
};

struct ConsumerState {
  /// All up to here is acknowledged; for the collector: recorded in Postgres.
  std::uint64_t ack_floor = 0;
  std::uint64_t delivered = 0;    ///< all matching messages up to here were delivered at least once
  std::uint64_t pending = 0;      ///< stored, not delivered yet
  std::uint64_t ack_pending = 0;  ///< delivered, not acknowledged yet
  std::uint64_t waiting = 0;      ///< pull requests that wait for a message
};

using MessageHandler = std::function<void(Result<StoredMessage>)>;

/// What streams hold, and how far their consumers are. Threads and handlers: as of `Bus`.
class StreamReader {
 public:
  virtual ~StreamReader() = default;

  /// The last message of a subject (no wildcards). Errors: kNotFound,
  /// kBusUnavailable, kTimeout.
  virtual void last_message(std::string_view stream, std::string subject, ReadFrom from,
                            MessageHandler handler) = 0;

  /// The first message at or after `sequence` whose subject matches `filter`
  /// (wildcards allowed). From far back this scans the stream: read old events
  /// from Postgres. Errors as above.
  virtual void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                            ReadFrom from, MessageHandler handler) = 0;

  virtual void stream_state(std::string_view stream,
                            std::function<void(Result<StreamState>)> handler) = 0;
  virtual void consumer_state(Durable durable,
                              std::function<void(Result<ConsumerState>)> handler) = 0;

  /// The names of a stream's durables, sorted. Errors: kNotFound, kBusUnavailable, kTimeout.
  virtual void durables(std::string_view stream,
                        std::function<void(Result<std::vector<std::string>>)> handler) = 0;
};

}  // namespace toolway::bus
