#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/calls/call_plan.h"
#include "gateway/calls/call_wait.h"
#include "gateway/calls/idempotency.h"

namespace toolway::gateway::calls {

/// Under which key a call's record is kept, and what was there last.
struct CallKey {
  std::string bucket_key;
  std::string payload_sha256;
  std::string session_key;  ///< of the request's session
  KeyEntry entry;
  KeyStep step = KeyStep::kClaim;
};

/// One call of a request, from its plan to its end.
struct CallEntry {
  wire::HttpResult<PlannedCall> plan = wire::refuse(ErrorCode::kInternal, "not planned");
  bool waits = false;                    ///< whether the request waits for its completion
  std::optional<wire::Problem> refused;  ///< why it was not accepted
  std::unique_ptr<CallWait> wait;        ///< of one that waits and has a place
  std::optional<CallKey> key;            ///< of a request with an Idempotency-Key
  bool replayed = false;                 ///< an earlier request with this key published it
  bool makes_nothing = false;            ///< it is not published, whether it is known or not

  /// Whether its key has already decided what becomes of it.
  bool settled() const { return plan.has_value() || refused.has_value(); }

  bool completed() const { return wait && wait->completion().has_value(); }
};

}  // namespace toolway::gateway::calls
