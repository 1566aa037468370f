#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"
#include "proto/toolway/v1/session.pb.h"

/// Bytes to messages and back. Decoding also checks what every reader relies
/// on (ids well formed, a kind set), so no caller has to.
namespace toolway::proto {

std::string encode(const v1::CallRequest& call);
std::string encode(const v1::CallEvent& event);
std::string encode(const v1::SessionRecord& session);
std::string encode(const v1::BlobChunk& chunk);

/// Errors: kInternal, saying what is wrong; the bytes come from our own
/// processes, so a failure is a poisoned message: set it aside.
Result<v1::CallRequest> decode_call(std::string_view bytes);
Result<v1::CallEvent> decode_event(std::string_view bytes);
Result<v1::SessionRecord> decode_session(std::string_view bytes);
Result<v1::BlobChunk> decode_blob_chunk(std::string_view bytes);

/// The question on kLookupSubject: what is recorded of this call? And a collector's answer.
std::string lookup_question(std::string call_id);
Result<v1::LookupAnswer> decode_lookup_answer(std::string_view bytes);

/// Every chunk of a large result except the last has exactly this many bytes.
inline constexpr std::size_t kBlobChunkBytes = 256 * 1024;

/// `succeeded`, `failed` …: the word in JSON, SQL and metrics.
std::string_view outcome_name(v1::Outcome outcome);
/// The outcome of that name; OUTCOME_UNSPECIFIED when there is none.
v1::Outcome outcome_named(std::string_view name);
/// `wait`, `detach`, `cancel` or `expired`: how a session was closed, as in JSON and SQL; empty
/// when that is not known.
/// `open`, `closed`, `deleted`.
std::string_view session_state_name(v1::SessionRecord::State state);
std::string_view closing_name(v1::SessionRecord::Closing closing);
/// `started`, `progress`, `log`, `alive`, `completed`, `cancel_requested`, `retry_at`,
/// `approval_requested`, `approval_decided`, `input_requested`, `input_provided`.
std::string_view event_kind_name(const v1::CallEvent& event);

}  // namespace toolway::proto
