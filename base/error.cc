#include "base/error.h"

#include <algorithm>
#include <array>

namespace toolway {

namespace {

struct Named {
  ErrorCode code;
  std::string_view name;
};

/// In the order of the codes.
constexpr std::array kNames{
    Named{ErrorCode::kMalformedJson, "malformed_json"},
    Named{ErrorCode::kInvalidRequest, "invalid_request"},
    Named{ErrorCode::kInvalidIdentifier, "invalid_identifier"},
    Named{ErrorCode::kInvalidArguments, "invalid_arguments"},
    Named{ErrorCode::kInvalidSpec, "invalid_spec"},
    Named{ErrorCode::kInvalidCursor, "invalid_cursor"},
    Named{ErrorCode::kPayloadTooLarge, "payload_too_large"},
    Named{ErrorCode::kUnsupportedMediaType, "unsupported_media_type"},
    Named{ErrorCode::kOriginNotAllowed, "origin_not_allowed"},
    Named{ErrorCode::kHostNotAllowed, "host_not_allowed"},
    Named{ErrorCode::kMethodNotAllowed, "method_not_allowed"},
    Named{ErrorCode::kRequestTimeout, "request_timeout"},
    Named{ErrorCode::kNotFound, "not_found"},
    Named{ErrorCode::kUnknownSession, "unknown_session"},
    Named{ErrorCode::kUnknownTool, "unknown_tool"},
    Named{ErrorCode::kAmbiguousTool, "ambiguous_tool"},
    Named{ErrorCode::kUnknownCall, "unknown_call"},
    Named{ErrorCode::kToolDisabled, "tool_disabled"},
    Named{ErrorCode::kUnauthenticated, "unauthenticated"},
    Named{ErrorCode::kPermissionDenied, "permission_denied"},
    Named{ErrorCode::kApprovalMissing, "approval_missing"},
    Named{ErrorCode::kApprovalDenied, "approval_denied"},
    Named{ErrorCode::kApprovalExpired, "approval_expired"},
    Named{ErrorCode::kApprovalStale, "approval_stale"},
    Named{ErrorCode::kApprovalDecided, "approval_decided"},
    Named{ErrorCode::kNotAsked, "not_asked"},
    Named{ErrorCode::kSessionConflict, "session_conflict"},
    Named{ErrorCode::kSessionClosed, "session_closed"},
    Named{ErrorCode::kConversationBusy, "conversation_busy"},
    Named{ErrorCode::kCallNotCompleted, "call_not_completed"},
    Named{ErrorCode::kNoResult, "no_result"},
    Named{ErrorCode::kRangeNotSatisfiable, "range_not_satisfiable"},
    Named{ErrorCode::kIdempotencyKeyReused, "idempotency_key_reused"},
    Named{ErrorCode::kRequestInFlight, "request_in_flight"},
    Named{ErrorCode::kWrongLastSequence, "wrong_last_sequence"},
    Named{ErrorCode::kBusUnavailable, "bus_unavailable"},
    Named{ErrorCode::kStoreUnavailable, "store_unavailable"},
    Named{ErrorCode::kAcceptUnknown, "accept_unknown"},
    Named{ErrorCode::kOverloaded, "overloaded"},
    Named{ErrorCode::kQueueFull, "queue_full"},
    Named{ErrorCode::kCollectorBehind, "collector_behind"},
    Named{ErrorCode::kTooManyCalls, "too_many_calls"},
    Named{ErrorCode::kRateLimited, "rate_limited"},
    Named{ErrorCode::kTooManySessions, "too_many_sessions"},
    Named{ErrorCode::kPoolUnavailable, "pool_unavailable"},
    Named{ErrorCode::kResultNotRecorded, "result_not_recorded"},
    Named{ErrorCode::kShuttingDown, "shutting_down"},
    Named{ErrorCode::kTimeout, "timeout"},
    Named{ErrorCode::kToolFailed, "tool_failed"},
    Named{ErrorCode::kToolThrew, "tool_threw"},
    Named{ErrorCode::kToolCrashed, "tool_crashed"},
    Named{ErrorCode::kInvalidResult, "invalid_result"},
    Named{ErrorCode::kResultTooLarge, "result_too_large"},
    Named{ErrorCode::kCannotAsk, "cannot_ask"},
    Named{ErrorCode::kQueueLimitExceeded, "queue_limit_exceeded"},
    Named{ErrorCode::kRunLimitExceeded, "run_limit_exceeded"},
    Named{ErrorCode::kTotalLimitExceeded, "total_limit_exceeded"},
    Named{ErrorCode::kHeartbeatMissed, "heartbeat_missed"},
    Named{ErrorCode::kCancelled, "cancelled"},
    Named{ErrorCode::kOutcomeUnknown, "outcome_unknown"},
    Named{ErrorCode::kCallLost, "call_lost"},
    Named{ErrorCode::kSpecUnavailable, "spec_unavailable"},
    Named{ErrorCode::kSandboxUnavailable, "sandbox_unavailable"},
    Named{ErrorCode::kInternal, "internal"},
};
static_assert(kNames.size() == static_cast<std::size_t>(ErrorCode::kInternal) + 1);
static_assert(std::ranges::all_of(kNames, [](const Named& named) {
  return &named == &kNames[static_cast<std::size_t>(named.code)];
}));

}  // namespace

std::string_view code_name(ErrorCode code) { return kNames[static_cast<std::size_t>(code)].name; }

}  // namespace toolway
