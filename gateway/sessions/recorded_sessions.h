#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "gateway/loop/async_store.h"
#include "gateway/wire/caller.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::gateway::sessions {

/// Asks the store for sessions that the bucket does not have, within the caller's patience. On the
/// io_context's thread.
class RecordedSessions {
 public:
  using Found = std::optional<v1::SessionRecord>;

  RecordedSessions(loop::AsyncStore& store, std::shared_ptr<loop::IoPost> io_post,
                   const Clock& clock)
      : store_(store), io_post_(std::move(io_post)), clock_(clock) {}

  /// The newest session of that name; nothing when there is none. Errors: store_unavailable, also
  /// when no answer came within `patience`.
  loop::Task<Result<Found>> ask(wire::Caller caller, std::string session_id,
                                std::chrono::milliseconds patience);
  /// The store did not answer within the last seconds: optional questions are skipped.
  bool silent() const { return clock_.monotonic() < silent_until_; }

 private:
  loop::Task<Result<Found>> read(wire::Caller caller, std::string session_id);

  loop::AsyncStore& store_;
  std::shared_ptr<loop::IoPost> io_post_;
  const Clock& clock_;
  MonotonicTime silent_until_{};
};

}  // namespace toolway::gateway::sessions
