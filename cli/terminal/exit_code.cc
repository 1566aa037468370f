#include "cli/terminal/exit_code.h"

#include <algorithm>
#include <array>

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

struct Exit {
  ErrorCode code;
  int status;
};

/// In the order of the codes.
constexpr std::array kExits{
    Exit{ErrorCode::kMalformedJson, kExitUsage},
    Exit{ErrorCode::kInvalidRequest, kExitUsage},
    Exit{ErrorCode::kInvalidIdentifier, kExitUsage},
    Exit{ErrorCode::kInvalidArguments, kExitRefused},
    Exit{ErrorCode::kInvalidSpec, kExitUsage},
    Exit{ErrorCode::kInvalidCursor, kExitRefused},
    Exit{ErrorCode::kPayloadTooLarge, kExitRefused},
    Exit{ErrorCode::kUnsupportedMediaType, kExitRefused},
    Exit{ErrorCode::kOriginNotAllowed, kExitRefused},
    Exit{ErrorCode::kHostNotAllowed, kExitRefused},
    Exit{ErrorCode::kMethodNotAllowed, kExitRefused},
    Exit{ErrorCode::kRequestTimeout, kExitRefused},
    Exit{ErrorCode::kNotFound, kExitRefused},
    Exit{ErrorCode::kUnknownSession, kExitRefused},
    Exit{ErrorCode::kUnknownTool, kExitRefused},
    Exit{ErrorCode::kAmbiguousTool, kExitRefused},
    Exit{ErrorCode::kUnknownCall, kExitRefused},
    Exit{ErrorCode::kToolDisabled, kExitRefused},
    Exit{ErrorCode::kUnauthenticated, kExitRefused},
    Exit{ErrorCode::kPermissionDenied, kExitRefused},
    Exit{ErrorCode::kApprovalMissing, kExitNotSucceeded},
    Exit{ErrorCode::kApprovalDenied, kExitNotSucceeded},
    Exit{ErrorCode::kApprovalExpired, kExitRefused},
    Exit{ErrorCode::kApprovalStale, kExitRefused},
    Exit{ErrorCode::kApprovalDecided, kExitRefused},
    Exit{ErrorCode::kNotAsked, kExitRefused},
    Exit{ErrorCode::kSessionConflict, kExitRefused},
    Exit{ErrorCode::kSessionClosed, kExitRefused},
    Exit{ErrorCode::kConversationBusy, kExitRefused},
    Exit{ErrorCode::kCallNotCompleted, kExitRefused},
    Exit{ErrorCode::kNoResult, kExitRefused},
    Exit{ErrorCode::kRangeNotSatisfiable, kExitRefused},
    Exit{ErrorCode::kIdempotencyKeyReused, kExitRefused},
    Exit{ErrorCode::kRequestInFlight, kExitRefused},
    Exit{ErrorCode::kWrongLastSequence, kExitRefused},
    Exit{ErrorCode::kBusUnavailable, kExitUnavailable},
    Exit{ErrorCode::kStoreUnavailable, kExitUnavailable},
    Exit{ErrorCode::kAcceptUnknown, kExitUnavailable},
    Exit{ErrorCode::kOverloaded, kExitUnavailable},
    Exit{ErrorCode::kQueueFull, kExitUnavailable},
    Exit{ErrorCode::kCollectorBehind, kExitUnavailable},
    Exit{ErrorCode::kTooManyCalls, kExitRefused},
    Exit{ErrorCode::kRateLimited, kExitRefused},
    Exit{ErrorCode::kTooManySessions, kExitRefused},
    Exit{ErrorCode::kPoolUnavailable, kExitUnavailable},
    Exit{ErrorCode::kResultNotRecorded, kExitUnavailable},
    Exit{ErrorCode::kShuttingDown, kExitUnavailable},
    Exit{ErrorCode::kTimeout, kExitUnavailable},
    Exit{ErrorCode::kToolFailed, kExitNotSucceeded},
    Exit{ErrorCode::kToolThrew, kExitNotSucceeded},
    Exit{ErrorCode::kToolCrashed, kExitNotSucceeded},
    Exit{ErrorCode::kInvalidResult, kExitNotSucceeded},
    Exit{ErrorCode::kResultTooLarge, kExitNotSucceeded},
    Exit{ErrorCode::kCannotAsk, kExitNotSucceeded},
    Exit{ErrorCode::kQueueLimitExceeded, kExitNotSucceeded},
    Exit{ErrorCode::kRunLimitExceeded, kExitNotSucceeded},
    Exit{ErrorCode::kTotalLimitExceeded, kExitNotSucceeded},
    Exit{ErrorCode::kHeartbeatMissed, kExitNotSucceeded},
    Exit{ErrorCode::kCancelled, kExitNotSucceeded},
    Exit{ErrorCode::kOutcomeUnknown, kExitNotSucceeded},
    Exit{ErrorCode::kCallLost, kExitNotSucceeded},
    Exit{ErrorCode::kSpecUnavailable, kExitNotSucceeded},
    Exit{ErrorCode::kSandboxUnavailable, kExitNotSucceeded},
    Exit{ErrorCode::kInternal, kExitInternal},
};
static_assert(kExits.size() == static_cast<std::size_t>(ErrorCode::kInternal) + 1);
static_assert(std::ranges::all_of(kExits, [](const Exit& exit) {
  return &exit == &kExits[static_cast<std::size_t>(exit.code)];
}));

}  // namespace

std::span<const ExitStatus> exit_statuses() { return kStatuses; }

int exit_code(ErrorCode code) { return kExits[static_cast<std::size_t>(code)].status; }

int exit_code_of_status(int status) { return status < 500 ? kExitRefused : kExitUnavailable; }

}  // namespace toolway::cli::terminal
