#include "gateway/calls/submission.h"

#include <utility>

namespace toolway::gateway::calls {

SubmitStep Submission::answered(Result<bus::PubAck> ack, MonotonicTime now) {
  if (ack) return {.kind = Kind::kAccepted, .sequence = ack->sequence};
  const ErrorCode code = ack.error().code;
  sent_ = sent_ || code == ErrorCode::kTimeout;
  if (!sent_) return {.kind = Kind::kRefused, .error = std::move(ack.error())};
  if (now >= deadline_ || code == ErrorCode::kShuttingDown) return {.kind = Kind::kUnknown};
  return {.kind = Kind::kPause, .delay = kRetryDelay};
}

SubmitStep Submission::resumed(MonotonicTime now) const {
  return {.kind = now < deadline_ ? Kind::kPublish : Kind::kUnknown};
}

}  // namespace toolway::gateway::calls
