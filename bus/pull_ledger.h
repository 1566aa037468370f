#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/clock.h"

namespace toolway::bus {

/// What a pull client has asked the server for, and may still ask for: the
/// decisions of the pull client, without a connection. Sound also when the
/// server silently drops a request (nats-server issue 3942), because
/// nothing is assumed for longer than a request lives.
class PullLedger {
 public:
  /// How long the server keeps a request, and how often it says that it still does.
  static constexpr std::chrono::milliseconds kExpires{5000};
  static constexpr std::chrono::milliseconds kHeartbeat{1000};

  struct Ask {
    std::uint64_t id = 0;
    std::size_t batch = 0;
  };
  enum class Ending {
    kExpired,  ///< it expired: ask again at once
    kRefused,  ///< no such durable, too many requests …: ask again a little later
  };

  /// `count` more messages may come.
  void allow(std::size_t count);

  /// Takes back at most `count` of those that the server is not asked for now: returns how many.
  /// What else of `count` comes back with requests that end is not asked for again, but kept for
  /// the next `withdraw`, or until more is allowed.
  std::size_t withdraw(std::size_t count);

  /// The request to send now, if one is worth it; it counts as sent.
  std::optional<Ask> next(MonotonicTime now);

  /// A message came. False: more came than was allowed (requests believed lost
  /// were not): give it back.
  bool message(MonotonicTime now);
  void heartbeat(MonotonicTime now) { last_heard_ = now; }
  /// Request `id` ended with `left_over` of its batch undelivered, if the server said.
  void ended(std::uint64_t id, std::optional<std::size_t> left_over, Ending ending,
             MonotonicTime now);
  /// Drops requests past their time, and all of them when the server has gone
  /// silent. Call about twice a second.
  void tick(MonotonicTime now);
  /// The connection is new: nothing that was asked for is known to the server.
  void forget();

  std::size_t asked() const { return asked_; }
  std::size_t unasked() const { return unasked_; }

 private:
  struct Request {
    std::uint64_t id;
    std::size_t batch;
    MonotonicTime deadline;
  };

  /// No more can be outstanding than the requests that are still alive asked for.
  void clamp();

  std::size_t asked_ = 0;    // requested, not delivered
  std::size_t unasked_ = 0;  // allowed, not requested
  std::size_t kept_ = 0;     // of unasked_: this part is not requested
  std::uint64_t last_id_ = 0;
  std::deque<Request> requests_;
  MonotonicTime last_heard_{};
  MonotonicTime not_before_{};
};

}  // namespace toolway::bus
