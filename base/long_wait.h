#pragma once

#include <chrono>

namespace toolway {

/// While it lives, this thread keeps no memory for itself: what it has freed, others get. jemalloc
/// keeps a quarter of a megabyte for each thread, which is too much for a thousand that wait for
/// models. Does nothing with another allocator. To be made and destroyed by the thread that waits;
/// each takes some microseconds.
class LongWait {
 public:
  /// Of a wait; for a shorter one it is not worth it.
  static constexpr std::chrono::milliseconds kBegins{50};

  LongWait();
  ~LongWait();
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
};

}  // namespace toolway
