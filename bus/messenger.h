#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::bus {

/// A message as the server republishes it when it has stored it.
struct LiveMessage {
  std::string_view subject;
  std::string_view payload;
  std::uint64_t sequence = 0;  ///< in its stream
};

class Messenger;

/// A question, or a message that needs no answer, on core NATS. Move-only; answer it from any
/// thread, at most once; must not outlive its bus.
class Request {
 public:
  Request(Messenger& bus, std::string reply) : bus_(&bus), reply_(std::move(reply)) {}
  Request(Request&&) = default;
  Request& operator=(Request&&) = default;

  /// May be lost, like any answer. Does nothing when none is wanted.
  void answer(std::string text);

  std::string subject;
  std::string payload;

 private:
  Messenger* bus_;
  std::string reply_;
};

using RequestHandler = std::function<void(Request)>;
using AnswerHandler = std::function<void(Result<std::string>)>;
using LiveHandler = std::function<void(const LiveMessage&)>;

/// Ends the subscription when destroyed; no handler runs after that.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// What processes say to each other, stored nowhere. Threads and handlers: as of `Bus`.
class Messenger {
 public:
  virtual ~Messenger() = default;

  /// Follows what streams republish on `filter` (`live.<shard>.>`,
  /// `bucket.sessions.>`). At most once: gaps are the reader's to fill. What is
  /// published after this returned is delivered while the connection lasts.
  virtual Result<std::unique_ptr<Subscription>> follow(std::string filter, LiveHandler handler) = 0;

  /// Sends a message to those that serve `subject` now. Stored nowhere; received at most once.
  virtual void tell(std::string subject, std::string payload) = 0;
  /// Asks, and hands out the first answer. Errors: kNotFound (no one serves the subject),
  /// kTimeout (no answer within kAnswerWithin), kBusUnavailable.
  virtual void request(std::string subject, std::string payload, AnswerHandler handler) = 0;
  static constexpr std::chrono::milliseconds kAnswerWithin{400};
  /// Receives what is told and asked on `filter`. Of those with the same `group` one receives it;
  /// without a group all do.
  virtual Result<std::unique_ptr<Subscription>> serve(std::string filter, std::string group,
                                                      RequestHandler handler) = 0;
};

}  // namespace toolway::bus
