#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace toolway {

/// Everything that can go wrong, closed: each boundary (HTTP, CLI, event) maps
/// it in one switch without default. The text form (`code_name`) is stable and
/// documented in docs/errors.md; codes are only ever added.
enum class ErrorCode {
  // What the caller sent.
  kMalformedJson,      ///< not JSON, not UTF-8, or nested too deeply
  kInvalidRequest,     ///< JSON, but a field is missing, unknown or of the wrong type
  kInvalidIdentifier,  ///< a session_id, namespace, call_id … of the wrong form
  kInvalidArguments,   ///< the tool's arguments do not match its input schema
  kInvalidSpec,        ///< a tool spec that cannot be offered
  kInvalidCursor,      ///< Last-Event-ID, ?after= or a page cursor not made by us
  kPayloadTooLarge,    ///< body, arguments, header or result over its cap
  kUnsupportedMediaType,
  kOriginNotAllowed,  ///< a browser sent it from a page of another origin
  kHostNotAllowed,    ///< Host names a machine that the gateway does not serve under that name
  kMethodNotAllowed,
  kRequestTimeout,  ///< the client was too slow sending its request
  // What does not exist, at least not for this caller.
  kNotFound,
  kUnknownSession,
  kUnknownTool,
  kAmbiguousTool,  ///< a bare tool name that several namespaces of the session have
  kUnknownCall,
  kToolDisabled,     ///< an operator has switched the tool, or its namespace, off
  kUnauthenticated,  ///< no credential, or one that this gateway does not take
  kPermissionDenied,
  kApprovalMissing,  ///< a call that must be approved was to run without that
  kApprovalDenied,
  kApprovalExpired,  ///< it was not decided in time
  kApprovalStale,    ///< the tool's spec changed while the call waited
  kApprovalDecided,  ///< it was decided before
  kNotAsked,         ///< the call does not wait for this answer
  // What conflicts.
  kSessionConflict,   ///< opened with other namespaces than it has
  kSessionClosed,     ///< takes no calls
  kConversationBusy,  ///< a turn of the conversation runs, or too many wait
  kCallNotCompleted,  ///< asked for the result of a call that has not ended
  kNoResult,          ///< asked for the result of a call that ended without one
  kRangeNotSatisfiable,
  kIdempotencyKeyReused,  ///< with another payload than the first time
  kRequestInFlight,       ///< the first request with this idempotency key is not answered yet
  kWrongLastSequence,     ///< the chain or compare-and-set has moved on (JetStream 10071, 10164)
  // The platform.
  kBusUnavailable,     ///< certainly not sent, or a read that got no answer
  kStoreUnavailable,   ///< Postgres does not answer
  kAcceptUnknown,      ///< sent, but never acknowledged: may or may not be stored
  kOverloaded,         ///< one of our limits is reached; nothing was done
  kQueueFull,          ///< the tool's pool has its maximum of calls waiting
  kCollectorBehind,    ///< too much of a stream is not recorded yet
  kTooManyCalls,       ///< this session or user has more than its share of calls waiting
  kRateLimited,        ///< more in a time than is allowed: try again after `retry_after`
  kTooManySessions,    ///< this user has, or opens in a minute, more sessions than allowed
  kPoolUnavailable,    ///< the tool's pool has no queue
  kResultNotRecorded,  ///< a large result is not all in Postgres yet
  kShuttingDown,
  kTimeout,
  // Executing a tool.
  kToolFailed,     ///< the tool reported an error without a code of its own
  kToolThrew,      ///< the tool threw an exception
  kToolCrashed,    ///< the process that ran the tool ended, or was ended, during the call
  kInvalidResult,  ///< the tool's result cannot be sent (not UTF-8, not its schema)
  kResultTooLarge,
  kCannotAsk,  ///< the tool has a question that its client has not declared to answer
  kQueueLimitExceeded,
  kRunLimitExceeded,
  kTotalLimitExceeded,
  kHeartbeatMissed,
  kCancelled,
  kOutcomeUnknown,      ///< an attempt broke off, and the tool must not be run twice
  kCallLost,            ///< its time has passed, and no worker ever started it
  kSpecUnavailable,     ///< the worker cannot find the spec version that admitted the call
  kSandboxUnavailable,  ///< this machine lacks what the tool's sandbox profile asks for
  // We are wrong.
  kInternal,
};

/// Stable snake_case name of a code, as shown in problem+json and events.
std::string_view code_name(ErrorCode code);

/// An error that crosses a function boundary: one code, one message that says
/// what was wrong, where, and what to do, and when to try again if that helps.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::optional<std::chrono::milliseconds> retry_after{};

  /// Becomes by itself what carries an error and more, and says so by `using Carried = Error`.
  template <typename Carrier>
    requires std::same_as<typename Carrier::Carried, Error>
  operator Carrier() && {  // NOLINT(google-explicit-constructor)
    return {.error = std::move(*this)};
  }
  template <typename Carrier>
    requires std::same_as<typename Carrier::Carried, Error>
  operator Carrier() const& {  // NOLINT(google-explicit-constructor)
    return {.error = *this};
  }
};

}  // namespace toolway
