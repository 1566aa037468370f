#include "proto/codec.h"

#include <fmt/format.h>

#include <utility>

#include "base/id_text.h"
#include "base/ids.h"
#include "base/try.h"
#include "proto/reused.h"

namespace toolway::proto {
namespace {

template <typename Message>
Result<void> parse(std::string_view bytes, std::string_view name, Message& message) {
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return {};
  return fail(ErrorCode::kInternal, fmt::format("{} bytes that are not a {}", bytes.size(), name));
}

template <typename Id>
Result<void> check_id(const std::string& text, bool (*good)(std::string_view)) {
  if (good(text)) return {};
  RETURN_IF_ERROR(Id::parse(text));  // says why
  return {};
}

template <typename Message>
Result<void> check_ids(const Message& message) {
  RETURN_IF_ERROR(check_id<CallId>(message.call_id(), is_call_id));
  return check_id<SessionKey>(message.session_key(), is_session_key);
}

template <typename Message>
Result<Message> decoded(std::string_view bytes) {
  Message message;
  RETURN_IF_ERROR(decode(bytes, message));
  return message;
}

}  // namespace

std::string encode(const v1::CallRequest& call) { return call.SerializeAsString(); }
std::string encode(const v1::CallEvent& event) { return event.SerializeAsString(); }
std::string encode(const v1::SessionRecord& session) { return session.SerializeAsString(); }
std::string encode(const v1::BlobChunk& chunk) { return chunk.SerializeAsString(); }

Result<void> decode(std::string_view bytes, v1::CallRequest& call) {
  RETURN_IF_ERROR(parse(bytes, "CallRequest", call));
  return check_ids(call);
}

Result<void> decode(std::string_view bytes, v1::CallEvent& event) {
  RETURN_IF_ERROR(parse(bytes, "CallEvent", event));
  RETURN_IF_ERROR(check_ids(event));
  if (event.kind_case() != v1::CallEvent::KIND_NOT_SET) return {};
  return fail(ErrorCode::kInternal, "a CallEvent of a kind this version does not know");
}

Result<void> decode(std::string_view bytes, v1::SessionRecord& session) {
  RETURN_IF_ERROR(parse(bytes, "SessionRecord", session));
  if (is_session_key(session.session_key())) return {};
  return fail(ErrorCode::kInternal, "a SessionRecord without a session_key");
}

Result<void> decode(std::string_view bytes, v1::BlobChunk& chunk) {
  RETURN_IF_ERROR(parse(bytes, "BlobChunk", chunk));
  RETURN_IF_ERROR(check_id<CallId>(chunk.call_id(), is_call_id));
  if (chunk.attempt() != 0 && !chunk.data().empty() && chunk.data().size() <= kBlobChunkBytes)
    return {};
  return fail(ErrorCode::kInternal,
              fmt::format("chunk {} of attempt {} has {} bytes, 1 to {} are allowed",
                          chunk.number(), chunk.attempt(), chunk.data().size(), kBlobChunkBytes));
}

Result<v1::CallRequest> decode_call(std::string_view bytes) {
  return decoded<v1::CallRequest>(bytes);
}
Result<v1::CallEvent> decode_event(std::string_view bytes) { return decoded<v1::CallEvent>(bytes); }
Result<v1::SessionRecord> decode_session(std::string_view bytes) {
  return decoded<v1::SessionRecord>(bytes);
}
Result<v1::BlobChunk> decode_blob_chunk(std::string_view bytes) {
  return decoded<v1::BlobChunk>(bytes);
}

std::string lookup_question(std::string call_id) {
  v1::LookupRequest question;
  question.set_call_id(std::move(call_id));
  return question.SerializeAsString();
}

Result<v1::LookupAnswer> decode_lookup_answer(std::string_view bytes) {
  v1::LookupAnswer answer;
  RETURN_IF_ERROR(parse(bytes, "LookupAnswer", answer));
  return answer;
}

std::string_view outcome_name(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_SUCCEEDED: return "succeeded";
    case v1::OUTCOME_FAILED: return "failed";
    case v1::OUTCOME_REJECTED: return "rejected";
    case v1::OUTCOME_CANCELLED: return "cancelled";
    case v1::OUTCOME_TIMED_OUT: return "timed_out";
    case v1::OUTCOME_LOST: return "lost";
    case v1::OUTCOME_UNKNOWN:
    case v1::OUTCOME_UNSPECIFIED:
    case v1::Outcome_INT_MIN_SENTINEL_DO_NOT_USE_:
    case v1::Outcome_INT_MAX_SENTINEL_DO_NOT_USE_: return "unknown";
  }
  return "unknown";
}

v1::Outcome outcome_named(std::string_view name) {
  for (int value = v1::Outcome_MIN; value <= v1::Outcome_MAX; ++value) {
    const auto outcome = static_cast<v1::Outcome>(value);
    if (outcome != v1::OUTCOME_UNSPECIFIED && outcome_name(outcome) == name) return outcome;
  }
  return v1::OUTCOME_UNSPECIFIED;
}

std::string_view session_state_name(v1::SessionRecord::State state) {
  switch (state) {
    case v1::SessionRecord::STATE_CLOSED: return "closed";
    case v1::SessionRecord::STATE_DELETED: return "deleted";
    default: return "open";  // an open enum: a newer gateway may write more
  }
}

std::string_view closing_name(v1::SessionRecord::Closing closing) {
  switch (closing) {
    case v1::SessionRecord::CLOSING_WAIT: return "wait";
    case v1::SessionRecord::CLOSING_DETACH: return "detach";
    case v1::SessionRecord::CLOSING_CANCEL: return "cancel";
    case v1::SessionRecord::CLOSING_EXPIRED: return "expired";
    default: return "";  // an open enum: a newer gateway may write more
  }
}

std::string_view event_kind_name(const v1::CallEvent& event) {
  switch (event.kind_case()) {
    case v1::CallEvent::kStarted: return "started";
    case v1::CallEvent::kProgress: return "progress";
    case v1::CallEvent::kLog: return "log";
    case v1::CallEvent::kAlive: return "alive";
    case v1::CallEvent::kCompleted: return "completed";
    case v1::CallEvent::kCancelRequested: return "cancel_requested";
    case v1::CallEvent::kRetryAt: return "retry_at";
    case v1::CallEvent::kApprovalRequested: return "approval_requested";
    case v1::CallEvent::kApprovalDecided: return "approval_decided";
    case v1::CallEvent::kInputRequested: return "input_requested";
    case v1::CallEvent::kInputProvided: return "input_provided";
    case v1::CallEvent::KIND_NOT_SET: return "unknown";
  }
  return "unknown";
}

}  // namespace toolway::proto
