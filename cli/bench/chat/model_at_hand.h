#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace toolway::cli::bench::chat {

using Steady = std::chrono::steady_clock;

/// What the model's server did for one message of a user.
struct Served {
  unsigned requests = 0;
  double busy_ms = 0;  ///< from a request's last byte until its answer was made, all of them
  std::optional<Steady::time_point> first_text;  ///< when it began to send text
};

/// The scripted model over HTTP on loopback, in the form of Chat Completions, for the bench. To a
/// message with the word `wait` it answers after `release`; to one with `stream` with
/// `streamed_text`, word by word; to any other it makes one call of bench.echo, and then says that
/// it is done. A thread for each connection, which it keeps.
class ModelAtHand {
 public:
  /// Errors: kInternal (no port of loopback is free).
  static Result<std::unique_ptr<ModelAtHand>> start();
  virtual ~ModelAtHand() = default;

  /// With /v1.
  virtual std::string url() const = 0;
  /// Requests whose answers wait for `release`.
  virtual unsigned held() const = 0;
  /// Answers those that wait, and every later one at once.
  virtual void release() = 0;
  /// What was done for the message with this text, which is forgotten then.
  virtual Served take(const std::string& message) = 0;
};

/// What a message with `stream` is answered with.
std::string streamed_text();

}  // namespace toolway::cli::bench::chat
