#pragma once

#include <string>

#include "gateway/calls/log_edit.h"
#include "proto/toolway/v1/call.pb.h"

/// What a decision about a held call does, decided from the call's last event.
namespace toolway::gateway::calls {

/// Whether the tool of a held call is as it was when the call was made.
enum class SpecNow { kSame, kChanged };

/// One vote about a call that waits.
struct ToDecide {
  v1::CallRequest request;  ///< with its hold
  std::string digest;       ///< its approval_digest
  v1::Vote vote;
  SpecNow spec = SpecNow::kSame;
};

/// Writes the vote after the last event of the call's log, and after one that denies the
/// completion. Done: the last event holds the vote, or completes the call that it denied. Refuses:
/// approval_decided (others were first, or this user has voted, or the call has ended),
/// approval_expired and approval_stale, after completing the call so; internal (the log asks for
/// something else than the request says).
LogEdit deciding(ToDecide decision, MonotonicTime deadline);

}  // namespace toolway::gateway::calls
