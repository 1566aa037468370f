#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace toolway::chaos {

/// A TCP proxy on loopback, one for each process and server, so that one process can be cut
/// off alone. It has one thread of its own. Thread-safe.
class Proxy {
 public:
  static Result<std::unique_ptr<Proxy>> start(std::uint16_t upstream);
  virtual ~Proxy() = default;
  virtual std::uint16_t port() const = 0;
  /// Every connection ends with a reset, at whatever byte it is.
  virtual void reset() = 0;
  /// For this long nothing is read or passed on; what is sent waits, and neither side is told.
  virtual void stall(std::chrono::milliseconds duration) = 0;
  /// Whatever is passed on from now on arrives this much later.
  virtual void delay(std::chrono::milliseconds by) = 0;
  /// Connections are reset, and for this long so is every new one.
  virtual void cut(std::chrono::milliseconds duration) = 0;
};

}  // namespace toolway::chaos
