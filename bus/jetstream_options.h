#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bus/bus.h"

namespace toolway::bus {

/// What became of a publication for `stream` (empty: of none of ours), `took` after it was asked
/// for.
using PublishWatch = std::function<void(std::string_view stream, std::chrono::nanoseconds took,
                                        const Result<PubAck>& ack)>;

/// How long a publication waits for its ack, where nothing else is configured. Without one its fate
/// is unknown.
inline constexpr std::chrono::milliseconds kPublishTimeout{1000};

class LoopThread;

struct JetStreamOptions {
  std::string url = "nats://127.0.0.1:4222";  ///< several: separated by commas
  std::string name;  ///< shown in the server's connection list, and part of inboxes: `[a-z-]`
  std::chrono::milliseconds publish_timeout = kPublishTimeout;
  std::chrono::milliseconds request_timeout{2000};
  std::size_t max_in_flight = 4000;
  /// How long `connect` tries before it gives up; later losses are retried forever.
  std::chrono::milliseconds connect_timeout{10000};
  /// Whose turns run all handlers, not started yet: the bus starts it, and stops it at its end. Who
  /// has it may take the turns over in between. None: one of the bus's own.
  LoopThread* turns = nullptr;
  /// For a server that syncs each message: provision() lets CALLS and EVENTS take atomic batches,
  /// and what gathers for them while publications are unanswered goes out together. Only where the
  /// server syncs a batch once (nats-server 2.15 and later, one replica); elsewhere all goes
  /// singly.
  bool group_commit = false;
  /// Called for every publication, before its own handler, on a thread of the bus. Must not block.
  PublishWatch on_published{};
};

}  // namespace toolway::bus
