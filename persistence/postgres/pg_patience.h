#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/os/wake_fd.h"

namespace toolway::persistence::postgres {

/// The time after which no thread waits for Postgres, however long a statement may take otherwise:
/// it ends all waits for a server that says nothing. Thread-safe.
class PgCutoff {
 public:
  /// The earliest time that was set counts.
  void set(MonotonicTime at);
  /// From now on no thread waits.
  void end() { set(MonotonicTime()); }
  /// Nothing: none yet.
  std::optional<MonotonicTime> at() const;
  /// Readable once a time was set.
  int fd() const { return is_set_.get(); }

 private:
  const os::WakeFd is_set_;
  mutable Mutex mutex_;
  std::optional<MonotonicTime> at_ GUARDED_BY(mutex_);
};

/// How long a connection waits for Postgres.
struct PgPatience {
  /// After which Postgres ends a statement; 0: never.
  std::chrono::milliseconds statement{0};
  std::shared_ptr<PgCutoff> cutoff{};  ///< null: none
  /// For a connection, with each address of the server.
  std::chrono::seconds connect{2};
  /// How much longer than `statement` an answer may be on its way. When none comes, the connection
  /// is broken.
  std::chrono::milliseconds grace{0};

  /// Of an answer that is waited for from `now` on; nothing: the cutoff only.
  std::optional<MonotonicTime> deadline(MonotonicTime now) const;
};

/// Of what runs once and ends, like a migration.
inline PgPatience patience_of_a_command() { return {.connect = std::chrono::seconds(15)}; }

/// Of what many wait for: Postgres' own limit comes first, so that it mostly leaves the connection
/// whole.
inline PgPatience patience_of_a_reader(std::chrono::milliseconds statement,
                                       std::shared_ptr<PgCutoff> cutoff) {
  return {
      .statement = statement, .cutoff = std::move(cutoff), .grace = std::chrono::milliseconds(500)};
}

}  // namespace toolway::persistence::postgres
