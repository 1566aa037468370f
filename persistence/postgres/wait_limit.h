#pragma once

#include <list>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "persistence/postgres/pg_patience.h"

namespace toolway::persistence::postgres {

/// Ends waits of a library that blocks on a socket and takes no deadline of its own, as libpqxx
/// does: it shuts the socket down, and the library finds its connection lost. One thread for all
/// waits. Thread-safe.
class WaitLimit {
  struct Entry {
    int socket = -1;
    MonotonicTime ends{};
    std::shared_ptr<PgCutoff> cutoff{};
    bool ended = false;
  };

 public:
  WaitLimit();
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

  /// One wait, `patience` long: while it exists, `socket` must stay open.
  class Wait {
   public:
    Wait(WaitLimit& limit, int socket, const PgPatience& patience);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    /// Whether the socket was shut down.
    bool ended() const;

   private:
    WaitLimit& limit_;
    std::list<Entry>::iterator entry_;
  };

 private:
  void run(const std::stop_token& stop);
  /// When to look at the entry next.
  static MonotonicTime due(const Entry& entry, MonotonicTime now);

  Mutex mutex_;
  StoppableCondVar changed_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);
  MonotonicTime next_look_ GUARDED_BY(mutex_) = MonotonicTime::max();
  std::jthread thread_;  // the last: it ends first
};

}  // namespace toolway::persistence::postgres
