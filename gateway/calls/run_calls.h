#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gateway/calls/idempotency.h"
#include "gateway/calls/submit.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// Under which key a call's record is kept, and what was there last.
struct CallKey {
  std::string bucket_key;
  std::string payload_sha256;
  KeyEntry entry;
  KeyStep step = KeyStep::kClaim;
};

/// One call of a request, from its plan to its end.
struct CallEntry {
  Answer<PlannedCall> plan = refuse(ErrorCode::kInternal, "not planned");
  bool waits = false;              ///< whether the request waits for its completion
  std::optional<Problem> refused;  ///< why it was not accepted
  std::unique_ptr<CallWait> wait;  ///< of one that waits
  std::optional<CallKey> key;      ///< of a request with an Idempotency-Key
  bool replayed = false;           ///< an earlier request with this key published it

  /// Whether its key has already decided what becomes of it.
  bool settled() const { return plan.has_value() || refused.has_value(); }

  bool completed() const { return wait && wait->completion().has_value(); }
};

/// Decides about one call of a request, for its session and its caller.
Task<Answer<PlannedCall>> plan_asked(Services& services, const Asked& asked, const Session& session,
                                     CallBody body);

/// Publishes a planned call, under its key when it has one, and follows it first when it
/// waits. Cancels `wake` when it completes.
Task<void> run_call(Services& services, CallEntry& entry, Timer& wake, WaitRoom& room);

/// The same for all that are planned, at once; returns when every one is accepted or refused.
Task<void> run_calls(Services& services, std::vector<CallEntry>& entries, Timer& wake,
                     WaitRoom& room);

/// Why a whole batch should be sent again, with the same Idempotency-Key; nothing when its entries
/// say enough. It is the problem of an entry that may or may not run, or else of one that the
/// platform could not take (503); or, when nothing at all was accepted, of one over its share
/// (429).
const Problem* batch_problem(const std::vector<CallEntry>& entries);

}  // namespace toolway::gateway
