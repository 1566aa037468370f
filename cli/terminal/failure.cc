#include "cli/terminal/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/log_text.h"
#include "base/nearest_names.h"
#include "cli/terminal/wrapped.h"

namespace toolway::cli::terminal {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::string_view kOtherGateway =
    "check that --url names a Toolway gateway of this version";
/// What a gateway says of a session that lacks none of the namespaces that were named.
constexpr std::string_view kHasThemAll = ", which include those you name";
constexpr std::string_view kHistory = "see its history: toolway explain {call}";

/// What to do about an error, in one table: each code has a row.
struct Step {
  ErrorCode code;
  /// With {session}, {tool}, {call}, {of_session}, {as_another}; empty: nothing to add.
  std::string_view text;
};
constexpr Step kSteps[] = {
    {ErrorCode::kUnknownSession, "open it: toolway session open {session} -n NAMESPACE"},
    {ErrorCode::kSessionClosed, "restore it: toolway session restore {session}"},
    {ErrorCode::kSessionConflict,
     "add the others to it: toolway session add-namespaces {session} -n NAMESPACE"},
    {ErrorCode::kConversationBusy, "wait until the turn has ended, or stop it"},
    {ErrorCode::kUnknownCall, "list calls: toolway calls list"},
    {ErrorCode::kUnknownTool, "list the tools: toolway tools{of_session}"},
    {ErrorCode::kAmbiguousTool, "name it with its namespace: NAMESPACE.TOOL"},
    {ErrorCode::kApprovalDecided, "see how it was decided: toolway calls show {call}"},
    {ErrorCode::kNotAsked, "see what it waits for: toolway calls show {call}"},
    {ErrorCode::kApprovalExpired, "see how it ended: toolway calls show {call}"},
    {ErrorCode::kApprovalStale, "let its caller call again: toolway calls show {call}"},
    {ErrorCode::kToolDisabled, "see who disabled it, and why: toolway tools disabled"},
    {ErrorCode::kInvalidArguments, "see what it takes: toolway tools show {tool}"},
    {ErrorCode::kCallNotCompleted, "see how far it is: toolway explain {call}"},
    {ErrorCode::kResultNotRecorded, "see how far it is: toolway explain {call}"},
    {ErrorCode::kNoResult, "see how it ended: toolway calls show {call}"},
    {ErrorCode::kIdempotencyKeyReused, "choose another --idempotency-key"},
    {ErrorCode::kRequestInFlight, "wait a moment, then run the same command again"},
    {ErrorCode::kTooManyCalls, "wait until calls end; what runs: toolway workers"},
    {ErrorCode::kQueueFull, "wait until calls end; what runs: toolway workers"},
    {ErrorCode::kTooManySessions, "close a session: toolway session close SESSION"},
    {ErrorCode::kRateLimited, "wait as long as it says, then run the command again"},
    {ErrorCode::kAcceptUnknown,
     "the call may run; run the command again with the same --idempotency-key"},
    {ErrorCode::kPoolUnavailable,
     "make the pool's queue: toolway migrate --pool POOL; the pools: toolway workers"},
    {ErrorCode::kOverloaded, "try again in a few seconds"},
    {ErrorCode::kCollectorBehind, "try again in a few seconds"},
    {ErrorCode::kShuttingDown, "try again in a few seconds"},
    {ErrorCode::kUnauthenticated,
     "pass a key or token that it accepts with --key-file FILE or TOOLWAY_API_KEY"},
    {ErrorCode::kPermissionDenied, "act as a user who may: {as_another}"},
    {ErrorCode::kStoreUnavailable,
     "check that Postgres runs and accepts connections; then try again"},
    {ErrorCode::kInvalidCursor, "use a cursor that Toolway printed, or 0"},
    // Their messages say what to change, or what to start.
    {ErrorCode::kBusUnavailable, ""},
    {ErrorCode::kTimeout, ""},
    {ErrorCode::kMalformedJson, ""},
    {ErrorCode::kInvalidRequest, ""},
    {ErrorCode::kInvalidIdentifier, ""},
    {ErrorCode::kInvalidSpec, ""},
    {ErrorCode::kPayloadTooLarge, ""},
    {ErrorCode::kNotFound, ""},
    {ErrorCode::kRangeNotSatisfiable, ""},
    {ErrorCode::kWrongLastSequence, ""},
    {ErrorCode::kInternal, ""},
    // What only other programs cause, not this one.
    {ErrorCode::kUnsupportedMediaType, kOtherGateway},
    {ErrorCode::kOriginNotAllowed, kOtherGateway},
    {ErrorCode::kHostNotAllowed, kOtherGateway},
    {ErrorCode::kMethodNotAllowed, kOtherGateway},
    {ErrorCode::kRequestTimeout, kOtherGateway},
    // How a call ended: its own history says more.
    {ErrorCode::kApprovalMissing, kHistory},
    {ErrorCode::kApprovalDenied, kHistory},
    {ErrorCode::kToolFailed, kHistory},
    {ErrorCode::kToolThrew, kHistory},
    {ErrorCode::kToolCrashed, kHistory},
    {ErrorCode::kInvalidResult, kHistory},
    {ErrorCode::kResultTooLarge, kHistory},
    {ErrorCode::kCannotAsk, kHistory},
    {ErrorCode::kQueueLimitExceeded, kHistory},
    {ErrorCode::kRunLimitExceeded, kHistory},
    {ErrorCode::kTotalLimitExceeded, kHistory},
    {ErrorCode::kHeartbeatMissed, kHistory},
    {ErrorCode::kCancelled, kHistory},
    {ErrorCode::kOutcomeUnknown, kHistory},
    {ErrorCode::kCallLost, kHistory},
    {ErrorCode::kSpecUnavailable, kHistory},
    {ErrorCode::kSandboxUnavailable, kHistory},
};

std::string or_word(const std::string& text, const char* word) {
  return text.empty() ? word : text;
}

std::string named(const char* what, const std::string& name) {
  return name.empty() ? fmt::format("the {}", what) : fmt::format("{} '{}'", what, name);
}

/// What comes before `end`, which is for clients of the API.
std::string before(const std::string& message, std::string_view end) {
  return message.substr(0, message.find(end));
}

/// `message` with `now` in place of `end` and all after it, if it has that.
std::string in_place_of(const std::string& message, std::string_view end, std::string_view now) {
  const auto at = message.find(end);
  return at == std::string::npos ? message : message.substr(0, at).append(now);
}

/// `message` with `now` in place of `prefix`.
std::string without_prefix(const std::string& message, std::string_view prefix,
                           const std::string& now) {
  return message.starts_with(prefix) ? now + message.substr(prefix.size()) : message;
}

/// The error is about all of a session's calls, not about one.
bool is_about_session(const Subject& subject) {
  return subject.call.empty() && !subject.session.empty();
}

}  // namespace

std::string what_happened(ErrorCode code, const std::string& message, const Subject& subject) {
  switch (code) {
    case ErrorCode::kUnknownSession: return named("session", subject.session) + " was not found";
    case ErrorCode::kSessionClosed:
      return named("session", subject.session) + " is closed and takes no calls";
    case ErrorCode::kUnknownCall: return named("call", subject.call) + " was not found";
    case ErrorCode::kSessionConflict:
      return without_prefix(before(message, ": ask for these"), "the session ",
                            named("session", subject.session) + " ");
    case ErrorCode::kUnauthenticated:
      return before(before(message, ": send the operator token"), " in the header Authorization");
    case ErrorCode::kPermissionDenied:
      return in_place_of(message, "; a session's own tools are at /v1/",
                         "; those of a session: toolway tools --session SESSION");
    case ErrorCode::kCallNotCompleted:
      return is_about_session(subject) ? message.substr(0, message.find("; ")) : message;
    default: return without_question(message);
  }
}

bool has_decision(ErrorCode code) {
  return std::any_of(std::begin(kSteps), std::end(kSteps),
                     [&](const Step& step) { return step.code == code; });
}

std::string next_step(ErrorCode code, const Subject& subject, std::string_view message) {
  const auto step = std::find_if(std::begin(kSteps), std::end(kSteps),
                                 [&](const Step& one) { return one.code == code; });
  if (step == std::end(kSteps)) return {};
  if (code == ErrorCode::kCallNotCompleted && is_about_session(subject))
    return fmt::format("wait for them, or cancel them: toolway session delete {} --cancel",
                       subject.session);
  if (code == ErrorCode::kSessionConflict && message.find(kHasThemAll) != std::string_view::npos)
    return "open it with the namespaces that it has, or choose another id";
  return fmt::format(
      fmt::runtime(step->text), fmt::arg("session", or_word(subject.session, "SESSION")),
      fmt::arg("tool", or_word(subject.tool, "TOOL")),
      fmt::arg("call", or_word(subject.call, "CALL")),
      fmt::arg("of_session", subject.session.empty() ? "" : " --session " + subject.session),
      // A name next to a credential must be its user's.
      fmt::arg("as_another", subject.with_credential ? "--key-file FILE, or TOOLWAY_API_KEY"
                                                     : "--user NAME, or TOOLWAY_USER"));
}

std::string without_question(std::string message) {
  const auto question = message.rfind("; did you mean ");
  if (question != std::string::npos && message.ends_with('?')) message.erase(question);
  return message;
}

/// Line by line: what moves a terminal's cursor may come from another user.
std::string in_lines(std::string_view text) {
  std::string made;
  for (;;) {
    const auto end = std::min(text.find('\n'), text.size());
    made += log_text(text.substr(0, end));
    if (end == text.size()) return made;
    made += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string labelled(Colour colour, const std::string& label, const std::string& text,
                     const Style& style, std::size_t width) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = label + text.substr(0, end);
  if (width > kIndent) line = wrapped(line, width - kIndent, kIndent);
  return style(colour, label.substr(0, label.size() - 1)) + line.substr(label.size() - 1) +
         text.substr(end) + "\n";
}

std::string failure_text(const Failure& failure, const Style& style, std::size_t width) {
  const std::string indent(kIndent, ' ');
  const auto line = [&](const std::string& text) {
    return indent + (width > 2 * kIndent ? wrapped(text, width - 2 * kIndent, 2 * kIndent) : text) +
           "\n";
  };
  auto text = labelled(Colour::kRed, "error: ", in_lines(failure.what), style, width);
  for (const auto& detail : failure.details)
    if (failure.what.find(detail) == std::string::npos) text += line(log_text(detail));
  if (!failure.suggestions.empty() && failure.what.find("did you mean") == std::string::npos)
    text += line(fmt::format("did you mean {}?", quoted_choices(failure.suggestions)));
  if (!failure.next.empty()) text += indent + failure.next + "\n";
  return text;
}

}  // namespace toolway::cli::terminal
