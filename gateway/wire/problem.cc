#include "gateway/wire/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::wire {
namespace {

/// A parser's message may quote the very bytes that are not UTF-8.
std::string readable(std::string text) {
  if (valid_utf8(text)) return text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformedJson:
    case ErrorCode::kInvalidIdentifier:
    case ErrorCode::kInvalidCursor: return 400;
    case ErrorCode::kUnauthenticated: return 401;
    case ErrorCode::kPermissionDenied: return 403;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnknownSession:
    case ErrorCode::kUnknownTool:
    case ErrorCode::kUnknownCall: return 404;
    case ErrorCode::kMethodNotAllowed: return 405;
    case ErrorCode::kRequestTimeout: return 408;
    case ErrorCode::kToolDisabled:
    case ErrorCode::kSessionConflict:
    case ErrorCode::kSessionClosed:
    case ErrorCode::kCallNotCompleted:
    case ErrorCode::kNoResult:
    case ErrorCode::kRequestInFlight:
    case ErrorCode::kWrongLastSequence: return 409;
    case ErrorCode::kRangeNotSatisfiable: return 416;
    case ErrorCode::kTooManyCalls:
    case ErrorCode::kRateLimited:
    case ErrorCode::kTooManySessions: return 429;
    case ErrorCode::kOriginNotAllowed: return 403;
    case ErrorCode::kHostNotAllowed: return 421;
    case ErrorCode::kPayloadTooLarge: return 413;
    case ErrorCode::kUnsupportedMediaType: return 415;
    case ErrorCode::kInvalidRequest:
    case ErrorCode::kInvalidArguments:
    case ErrorCode::kAmbiguousTool:
    case ErrorCode::kIdempotencyKeyReused: return 422;
    case ErrorCode::kBusUnavailable:
    case ErrorCode::kStoreUnavailable:
    case ErrorCode::kAcceptUnknown:
    case ErrorCode::kOverloaded:
    case ErrorCode::kQueueFull:
    case ErrorCode::kCollectorBehind:
    case ErrorCode::kPoolUnavailable:
    case ErrorCode::kResultNotRecorded:
    case ErrorCode::kShuttingDown:
    case ErrorCode::kTimeout: return 503;
    case ErrorCode::kInvalidSpec:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolThrew:
    case ErrorCode::kToolCrashed:
    case ErrorCode::kSpecUnavailable:
    case ErrorCode::kSandboxUnavailable:
    case ErrorCode::kInvalidResult:
    case ErrorCode::kResultTooLarge:
    case ErrorCode::kQueueLimitExceeded:
    case ErrorCode::kRunLimitExceeded:
    case ErrorCode::kTotalLimitExceeded:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kCallLost:
    case ErrorCode::kHeartbeatMissed:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal: return 500;
  }
  return 500;
}

unsigned status_of(const Problem& problem) {
  return problem.status.value_or(status_of(problem.error.code));
}

std::string_view title_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformedJson: return "The body is not JSON";
    case ErrorCode::kInvalidRequest: return "The request does not match the API description";
    case ErrorCode::kInvalidIdentifier: return "An identifier is not well formed";
    case ErrorCode::kInvalidArguments: return "The arguments do not match the tool's schema";
    case ErrorCode::kInvalidSpec: return "A tool's spec is not valid";
    case ErrorCode::kInvalidCursor: return "The cursor was not made by this service";
    case ErrorCode::kPayloadTooLarge: return "The request is too large";
    case ErrorCode::kUnsupportedMediaType: return "The body is not application/json";
    case ErrorCode::kMethodNotAllowed: return "This path does not accept the method";
    case ErrorCode::kRequestTimeout: return "The request took too long to arrive";
    case ErrorCode::kNotFound: return "There is nothing at this path";
    case ErrorCode::kUnknownSession: return "There is no such session";
    case ErrorCode::kUnknownTool: return "The session has no such tool";
    case ErrorCode::kAmbiguousTool: return "Several tools have this name";
    case ErrorCode::kUnknownCall: return "There is no such call";
    case ErrorCode::kToolDisabled: return "The tool is switched off";
    case ErrorCode::kUnauthenticated: return "Say who you are";
    case ErrorCode::kPermissionDenied: return "Not allowed";
    case ErrorCode::kSessionConflict: return "The session has other namespaces";
    case ErrorCode::kSessionClosed: return "The session is closed";
    case ErrorCode::kCallNotCompleted: return "The call has not ended";
    case ErrorCode::kNoResult: return "The call ended without a result";
    case ErrorCode::kRangeNotSatisfiable: return "The range starts past the end";
    case ErrorCode::kIdempotencyKeyReused: return "The idempotency key belongs to another request";
    case ErrorCode::kRequestInFlight: return "The first request with this key is in progress";
    case ErrorCode::kWrongLastSequence: return "Another writer changed it at the same time";
    case ErrorCode::kBusUnavailable: return "The message bus does not answer";
    case ErrorCode::kStoreUnavailable: return "The database does not answer";
    case ErrorCode::kAcceptUnknown: return "The call may or may not have been accepted";
    case ErrorCode::kOverloaded: return "Too much is in progress";
    case ErrorCode::kQueueFull: return "The tool's pool has too many calls waiting";
    case ErrorCode::kCollectorBehind: return "Too much is not recorded yet";
    case ErrorCode::kTooManyCalls: return "Too many of your calls are waiting";
    case ErrorCode::kRateLimited: return "Too much in too short a time";
    case ErrorCode::kTooManySessions: return "You have too many sessions";
    case ErrorCode::kOriginNotAllowed: return "The web page's origin is not allowed";
    case ErrorCode::kHostNotAllowed: return "This gateway does not serve that host name";
    case ErrorCode::kPoolUnavailable: return "The tool's pool has no queue";
    case ErrorCode::kResultNotRecorded: return "The result is not fully recorded yet";
    case ErrorCode::kShuttingDown: return "This gateway is shutting down";
    case ErrorCode::kTimeout: return "No answer came in time";
    case ErrorCode::kToolFailed: return "The tool failed";
    case ErrorCode::kToolThrew: return "The tool ended abnormally";
    case ErrorCode::kToolCrashed: return "The tool's process ended";
    case ErrorCode::kSpecUnavailable: return "The spec that admitted the call cannot be found";
    case ErrorCode::kSandboxUnavailable: return "The tool's sandbox is not available here";
    case ErrorCode::kInvalidResult: return "The tool's result cannot be sent";
    case ErrorCode::kResultTooLarge: return "The tool's result is too large";
    case ErrorCode::kQueueLimitExceeded: return "The call waited too long";
    case ErrorCode::kTotalLimitExceeded: return "The call took too long";
    case ErrorCode::kOutcomeUnknown: return "The outcome of the call is not known";
    case ErrorCode::kCallLost: return "No worker ever started the call";
    case ErrorCode::kRunLimitExceeded: return "The tool ran too long";
    case ErrorCode::kHeartbeatMissed: return "The tool reported no progress";
    case ErrorCode::kCancelled: return "The call was cancelled";
    case ErrorCode::kInternal: break;
  }
  return "Something went wrong here";
}

std::optional<unsigned> retry_after_seconds(const Problem& problem) {
  const unsigned status = status_of(problem);
  if (status != 409 && status != 429 && status != 503) return std::nullopt;
  if (!problem.error.retry_after) return 1;
  const auto ms = problem.error.retry_after->count();
  return ms <= 1000 ? 1U : static_cast<unsigned>((ms + 999) / 1000);
}

std::string problem_json(const Problem& problem, std::string_view request_id) {
  const ErrorCode code = problem.error.code;
  const std::string name(code_name(code));
  std::string out;
  out.reserve(256);
  ObjectText object(out);
  object.text("type", "/errors/" + name);
  object.text("title", title_of(code));
  object.number("status", status_of(problem));
  object.text("detail", readable(problem.error.message));
  object.text("code", name);
  object.text("request_id", request_id);
  if (!problem.errors.empty()) {
    object.begin("errors");
    write_list(out, problem.errors, [](std::string& text, const auto& mistake) {
      ObjectText entry(text);
      entry.text("path", mistake.place);
      entry.text("keyword", mistake.keyword);
      entry.text("message", mistake.message);
      entry.end();
    });
  }
  if (code == ErrorCode::kUnknownTool) {
    object.begin("suggestions");
    write_list(out, problem.suggestions, append_string);
  }
  if (!problem.call_id.empty()) object.text("call_id", problem.call_id);
  object.end();
  return out;
}

Problem invalid_request(std::vector<Mistake> errors) {
  std::string detail;
  for (const auto& mistake : errors) {
    if (!detail.empty()) detail += "; ";
    detail += mistake.place.empty() ? "the body" : mistake.place;
    detail += ": " + mistake.message;
  }
  return Problem{.error = Error{ErrorCode::kInvalidRequest, std::move(detail)},
                 .errors = std::move(errors)};
}

Problem invalid_parameter(std::string_view name, std::string keyword, std::string message) {
  return invalid_request({{.place = fmt::format("?{}", name),
                           .message = std::move(message),
                           .keyword = std::move(keyword)}});
}

Problem bus_problem(Error error) {
  // To a client a read without an answer is the same as no connection: try again.
  if (error.code == ErrorCode::kTimeout) error.code = ErrorCode::kBusUnavailable;
  return Problem{.error = std::move(error)};
}

}  // namespace toolway::gateway::wire
