#include "gateway/wire/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

struct Shown {
  ErrorCode code;
  unsigned status;
  std::string_view title;
};

/// In the order of the codes.
constexpr std::array kShown{
    Shown{ErrorCode::kMalformedJson, 400, "The body is not JSON"},
    Shown{ErrorCode::kInvalidRequest, 422, "The request does not match the API description"},
    Shown{ErrorCode::kInvalidIdentifier, 400, "An identifier is not well formed"},
    Shown{ErrorCode::kInvalidArguments, 422, "The arguments do not match the tool's schema"},
    Shown{ErrorCode::kInvalidSpec, 500, "A tool's spec is not valid"},
    Shown{ErrorCode::kInvalidCursor, 400, "The cursor was not made by this service"},
    Shown{ErrorCode::kPayloadTooLarge, 413, "The request is too large"},
    Shown{ErrorCode::kUnsupportedMediaType, 415, "The body is not application/json"},
    Shown{ErrorCode::kOriginNotAllowed, 403, "The web page's origin is not allowed"},
    Shown{ErrorCode::kHostNotAllowed, 421, "This gateway does not serve that host name"},
    Shown{ErrorCode::kMethodNotAllowed, 405, "This path does not accept the method"},
    Shown{ErrorCode::kRequestTimeout, 408, "The request took too long to arrive"},
    Shown{ErrorCode::kNotFound, 404, "Not found"},
    Shown{ErrorCode::kUnknownSession, 404, "There is no such session"},
    Shown{ErrorCode::kUnknownTool, 404, "The session has no such tool"},
    Shown{ErrorCode::kAmbiguousTool, 422, "Several tools have this name"},
    Shown{ErrorCode::kUnknownCall, 404, "There is no such call"},
    Shown{ErrorCode::kToolDisabled, 409, "The tool is switched off"},
    Shown{ErrorCode::kUnauthenticated, 401, "Say who you are"},
    Shown{ErrorCode::kPermissionDenied, 403, "Not allowed"},
    Shown{ErrorCode::kApprovalMissing, 500, "The call was not approved"},
    Shown{ErrorCode::kApprovalDenied, 500, "The call was denied"},
    Shown{ErrorCode::kApprovalExpired, 409, "The call was not decided in time"},
    Shown{ErrorCode::kApprovalStale, 409, "The tool has changed since the call was made"},
    Shown{ErrorCode::kApprovalDecided, 409, "The call does not wait for your decision"},
    Shown{ErrorCode::kNotAsked, 409, "The call does not wait for this answer"},
    Shown{ErrorCode::kSessionConflict, 409, "The session has other namespaces"},
    Shown{ErrorCode::kSessionClosed, 409, "The session is closed"},
    Shown{ErrorCode::kConversationBusy, 409, "The conversation is busy"},
    Shown{ErrorCode::kCallNotCompleted, 409, "The call has not ended"},
    Shown{ErrorCode::kNoResult, 409, "The call ended without a result"},
    Shown{ErrorCode::kRangeNotSatisfiable, 416, "The range starts past the end"},
    Shown{ErrorCode::kIdempotencyKeyReused, 422, "The idempotency key belongs to another request"},
    Shown{ErrorCode::kRequestInFlight, 409,
          "The first request with this idempotency key is in progress"},
    Shown{ErrorCode::kWrongLastSequence, 409, "Another writer changed it at the same time"},
    Shown{ErrorCode::kBusUnavailable, 503, "The message bus does not answer"},
    Shown{ErrorCode::kStoreUnavailable, 503, "The database does not answer"},
    Shown{ErrorCode::kAcceptUnknown, 503, "The call may or may not have been accepted"},
    Shown{ErrorCode::kOverloaded, 503, "Too much is in progress"},
    Shown{ErrorCode::kQueueFull, 503, "The tool's pool has too many calls waiting"},
    Shown{ErrorCode::kCollectorBehind, 503, "Too much is not recorded yet"},
    Shown{ErrorCode::kTooManyCalls, 429, "Too many of your calls are waiting"},
    Shown{ErrorCode::kRateLimited, 429, "Too much in too short a time"},
    Shown{ErrorCode::kTooManySessions, 429, "You have too many sessions"},
    Shown{ErrorCode::kPoolUnavailable, 503, "The tool's pool has no queue"},
    Shown{ErrorCode::kResultNotRecorded, 503, "The result is not fully recorded yet"},
    Shown{ErrorCode::kShuttingDown, 503, "This gateway is shutting down"},
    Shown{ErrorCode::kTimeout, 503, "No answer came in time"},
    Shown{ErrorCode::kToolFailed, 500, "The tool failed"},
    Shown{ErrorCode::kToolThrew, 500, "The tool ended abnormally"},
    Shown{ErrorCode::kToolCrashed, 500, "The tool's process ended"},
    Shown{ErrorCode::kInvalidResult, 500, "The tool's result cannot be sent"},
    Shown{ErrorCode::kResultTooLarge, 500, "The tool's result is too large"},
    Shown{ErrorCode::kCannotAsk, 500, "The tool's question cannot be asked"},
    Shown{ErrorCode::kQueueLimitExceeded, 500, "The call waited too long"},
    Shown{ErrorCode::kRunLimitExceeded, 500, "The tool ran too long"},
    Shown{ErrorCode::kTotalLimitExceeded, 500, "The call took too long"},
    Shown{ErrorCode::kHeartbeatMissed, 500, "The tool reported no progress"},
    Shown{ErrorCode::kCancelled, 500, "The call was cancelled"},
    Shown{ErrorCode::kOutcomeUnknown, 500, "The outcome of the call is not known"},
    Shown{ErrorCode::kCallLost, 500, "No worker ever started the call"},
    Shown{ErrorCode::kSpecUnavailable, 500, "The spec that admitted the call cannot be found"},
    Shown{ErrorCode::kSandboxUnavailable, 500, "The tool's sandbox is not available here"},
    Shown{ErrorCode::kInternal, 500, "Something went wrong here"},
};
static_assert(kShown.size() == static_cast<std::size_t>(ErrorCode::kInternal) + 1);
static_assert(std::ranges::all_of(kShown, [](const Shown& shown) {
  return &shown == &kShown[static_cast<std::size_t>(shown.code)];
}));

}  // namespace

unsigned status_of(ErrorCode code) { return kShown[static_cast<std::size_t>(code)].status; }

unsigned status_of(const Problem& problem) {
  return problem.status.value_or(status_of(problem.error.code));
}

std::string_view title_of(ErrorCode code) { return kShown[static_cast<std::size_t>(code)].title; }

namespace {

/// Whether a conflict passes by itself, and soon.
bool passes(ErrorCode code) {
  return code == ErrorCode::kConversationBusy || code == ErrorCode::kRequestInFlight;
}

}  // namespace

std::optional<unsigned> retry_after_seconds(const Problem& problem) {
  const unsigned status = status_of(problem);
  if (status != 409 && status != 429 && status != 503) return std::nullopt;
  if (!problem.error.retry_after)
    return status == 409 && !passes(problem.error.code) ? std::nullopt : std::optional(1U);
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
