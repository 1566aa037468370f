#include "cli/terminal/exit_code.h"

namespace toolway::cli::terminal {
namespace {

constexpr ExitStatus kStatuses[] = {
    {"0", "success; of call --wait and --follow: the call succeeded"},
    {"1", "internal error, output that cannot be written, or a failed check or SLO"},
    {"2", "wrong usage, or a file with mistakes"},
    {"3", "refused: not found, closed, disabled, too many, not allowed"},
    {"4", "unavailable: try again later, or no gateway answers"},
    {"5", "the call ended with an outcome other than succeeded"},
    {"6", "the call was accepted and still ran when the wait ended (--timeout)"},
    {"130, 143", "Ctrl-C or SIGTERM during a wait; the call runs on"},
};

}  // namespace

std::span<const ExitStatus> exit_statuses() { return kStatuses; }

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformedJson:
    case ErrorCode::kInvalidRequest:
    case ErrorCode::kInvalidIdentifier:
    case ErrorCode::kInvalidSpec: return kExitUsage;
    case ErrorCode::kInvalidArguments:
    case ErrorCode::kInvalidCursor:
    case ErrorCode::kPayloadTooLarge:
    case ErrorCode::kUnsupportedMediaType:
    case ErrorCode::kOriginNotAllowed:
    case ErrorCode::kHostNotAllowed:
    case ErrorCode::kMethodNotAllowed:
    case ErrorCode::kRequestTimeout:
    case ErrorCode::kNotFound:
    case ErrorCode::kUnknownSession:
    case ErrorCode::kUnknownTool:
    case ErrorCode::kAmbiguousTool:
    case ErrorCode::kUnknownCall:
    case ErrorCode::kToolDisabled:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kSessionConflict:
    case ErrorCode::kSessionClosed:
    case ErrorCode::kCallNotCompleted:
    case ErrorCode::kNoResult:
    case ErrorCode::kRangeNotSatisfiable:
    case ErrorCode::kIdempotencyKeyReused:
    case ErrorCode::kRequestInFlight:
    case ErrorCode::kWrongLastSequence:
    case ErrorCode::kTooManyCalls:
    case ErrorCode::kTooManySessions:
    case ErrorCode::kRateLimited: return kExitRefused;
    case ErrorCode::kBusUnavailable:
    case ErrorCode::kStoreUnavailable:
    case ErrorCode::kAcceptUnknown:
    case ErrorCode::kOverloaded:
    case ErrorCode::kQueueFull:
    case ErrorCode::kCollectorBehind:
    case ErrorCode::kPoolUnavailable:
    case ErrorCode::kResultNotRecorded:
    case ErrorCode::kShuttingDown:
    case ErrorCode::kTimeout: return kExitUnavailable;
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolThrew:
    case ErrorCode::kToolCrashed:
    case ErrorCode::kSpecUnavailable:
    case ErrorCode::kSandboxUnavailable:
    case ErrorCode::kInvalidResult:
    case ErrorCode::kResultTooLarge:
    case ErrorCode::kQueueLimitExceeded:
    case ErrorCode::kTotalLimitExceeded:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kCallLost:
    case ErrorCode::kRunLimitExceeded:
    case ErrorCode::kHeartbeatMissed:
    case ErrorCode::kCancelled: return kExitNotSucceeded;
    case ErrorCode::kInternal: return kExitInternal;
  }
  return kExitInternal;
}

int exit_code_of_status(int status) { return status < 500 ? kExitRefused : kExitUnavailable; }

}  // namespace toolway::cli::terminal
