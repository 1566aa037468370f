#include "persistence/reaper/reaper_log.h"

#include "base/try.h"
#include "bus/answer.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/questions.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

/// Takes the place of the worker id in its events.
constexpr std::string_view kWriter = "reaper";
constexpr std::string_view kUnanswered =
    "its tool asked, and the call's total limit passed before it was answered and ran again";

std::string_view message_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kQueueLimitExceeded:
      return "no worker started the call within its queue limit; check how many workers its pool has";
    case ErrorCode::kTotalLimitExceeded:
      return "the call started but did not end within its total limit, and its worker did not report "
             "that; what it has done so far is unknown";
    case ErrorCode::kCancelled: return "cancelled before any worker started it";
    case ErrorCode::kCallLost:
      return "no worker completed the call in time or reported anything about it; it may be called again";
    default: return "";
  }
}

}  // namespace

Result<std::string> log_subject(const v1::CallRequest& request) {
  ASSIGN_OR_RETURN(const auto session, SessionKey::parse(request.session_key()));
  ASSIGN_OR_RETURN(const auto call, CallId::parse(request.call_id()));
  return proto::event_subject(session, call);
}

v1::CallEvent completion_of(const ReapFacts& facts, const v1::CallEvent* last,
                            const Decision& decision, WallTime now) {
  const auto& request = facts.request;
  if (decision.outcome == v1::OUTCOME_REJECTED) {
    auto rejected = proto::rejected_completion(request, last, decision.code, now);
    rejected.set_worker_id(std::string(kWriter));
    return rejected;
  }
  auto event = proto::event_after(request, last, now);
  event.set_worker_id(std::string(kWriter));
  event.set_admission(proto::admission_to_tell(request));
  auto& completed = *event.mutable_completed();
  completed.set_outcome(decision.outcome);
  completed.mutable_error()->set_code(std::string(code_name(decision.code)));
  const bool unanswered =
      last != nullptr && proto::is_parked(*last) && decision.code == ErrorCode::kTotalLimitExceeded;
  completed.mutable_error()->set_message(
      std::string(unanswered ? kUnanswered : message_of(decision.code)));
  if (event.attempt() > 0 && facts.started_at) {
    completed.set_started_at_us(to_unix_us(*facts.started_at));
  }
  return event;
}

Result<std::optional<store::RecordedEvent>> last_in_stream(bus::StreamReader& bus,
                                                           const v1::CallRequest& request) {
  ASSIGN_OR_RETURN(auto subject, log_subject(request));
  auto message = bus::answer_of<bus::StoredMessage>([&](auto handler) {
    bus.last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader, handler);
  });
  if (!message && message.error().code == ErrorCode::kNotFound) {
    return std::optional<store::RecordedEvent>();
  }
  RETURN_IF_ERROR(message);
  ASSIGN_OR_RETURN(auto event, proto::decode_event(message->payload));
  return store::RecordedEvent{{0, message->sequence}, std::move(event)};
}

}  // namespace toolway::persistence::reaper
