#include "base/error.h"

namespace toolway {

std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformedJson: return "malformed_json";
    case ErrorCode::kInvalidRequest: return "invalid_request";
    case ErrorCode::kInvalidIdentifier: return "invalid_identifier";
    case ErrorCode::kInvalidArguments: return "invalid_arguments";
    case ErrorCode::kInvalidSpec: return "invalid_spec";
    case ErrorCode::kInvalidCursor: return "invalid_cursor";
    case ErrorCode::kPayloadTooLarge: return "payload_too_large";
    case ErrorCode::kUnsupportedMediaType: return "unsupported_media_type";
    case ErrorCode::kOriginNotAllowed: return "origin_not_allowed";
    case ErrorCode::kHostNotAllowed: return "host_not_allowed";
    case ErrorCode::kMethodNotAllowed: return "method_not_allowed";
    case ErrorCode::kRequestTimeout: return "request_timeout";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kUnknownSession: return "unknown_session";
    case ErrorCode::kUnknownTool: return "unknown_tool";
    case ErrorCode::kAmbiguousTool: return "ambiguous_tool";
    case ErrorCode::kUnknownCall: return "unknown_call";
    case ErrorCode::kToolDisabled: return "tool_disabled";
    case ErrorCode::kUnauthenticated: return "unauthenticated";
    case ErrorCode::kPermissionDenied: return "permission_denied";
    case ErrorCode::kSessionConflict: return "session_conflict";
    case ErrorCode::kSessionClosed: return "session_closed";
    case ErrorCode::kCallNotCompleted: return "call_not_completed";
    case ErrorCode::kNoResult: return "no_result";
    case ErrorCode::kRangeNotSatisfiable: return "range_not_satisfiable";
    case ErrorCode::kIdempotencyKeyReused: return "idempotency_key_reused";
    case ErrorCode::kRequestInFlight: return "request_in_flight";
    case ErrorCode::kWrongLastSequence: return "wrong_last_sequence";
    case ErrorCode::kBusUnavailable: return "bus_unavailable";
    case ErrorCode::kStoreUnavailable: return "store_unavailable";
    case ErrorCode::kAcceptUnknown: return "accept_unknown";
    case ErrorCode::kOverloaded: return "overloaded";
    case ErrorCode::kQueueFull: return "queue_full";
    case ErrorCode::kCollectorBehind: return "collector_behind";
    case ErrorCode::kTooManyCalls: return "too_many_calls";
    case ErrorCode::kTooManySessions: return "too_many_sessions";
    case ErrorCode::kRateLimited: return "rate_limited";
    case ErrorCode::kPoolUnavailable: return "pool_unavailable";
    case ErrorCode::kResultNotRecorded: return "result_not_recorded";
    case ErrorCode::kShuttingDown: return "shutting_down";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kToolFailed: return "tool_failed";
    case ErrorCode::kToolThrew: return "tool_threw";
    case ErrorCode::kToolCrashed: return "tool_crashed";
    case ErrorCode::kInvalidResult: return "invalid_result";
    case ErrorCode::kResultTooLarge: return "result_too_large";
    case ErrorCode::kQueueLimitExceeded: return "queue_limit_exceeded";
    case ErrorCode::kTotalLimitExceeded: return "total_limit_exceeded";
    case ErrorCode::kOutcomeUnknown: return "outcome_unknown";
    case ErrorCode::kCallLost: return "call_lost";
    case ErrorCode::kRunLimitExceeded: return "run_limit_exceeded";
    case ErrorCode::kHeartbeatMissed: return "heartbeat_missed";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kSpecUnavailable: return "spec_unavailable";
    case ErrorCode::kSandboxUnavailable: return "sandbox_unavailable";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

}  // namespace toolway
