#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "bus/stream_reader.h"

namespace toolway::persistence::collector {

/// Which life of a stream the messages that are pulled from it belong to:
/// asked of the bus at start and again after every reconnect, since the stream
/// may have been recreated. Thread-safe; the bus must outlive it.
class Incarnation {
 public:
  Incarnation(bus::StreamReader& bus, std::string stream);

  /// Of a message delivered now; 0: not known yet.
  std::int64_t current() const;
  /// After a loss of the connection: what was known no longer holds.
  void forget();
  /// Asks the bus; the answer comes to `current`.
  void ask();
  /// Waits up to `timeout` for an answer; 0 when there was none.
  std::int64_t wait(std::chrono::milliseconds timeout) const;

 private:
  /// Shared with the handlers, which may run after this object is gone.
  struct State {
    mutable Mutex mutex;
    mutable CondVar known;
    std::int64_t incarnation GUARDED_BY(mutex) = 0;
    std::uint64_t epoch GUARDED_BY(mutex) =
        0;  ///< counts connections: late answers of earlier ones do not count
  };
  bus::StreamReader& bus_;
  const std::string stream_;
  std::shared_ptr<State> state_;
};

}  // namespace toolway::persistence::collector
