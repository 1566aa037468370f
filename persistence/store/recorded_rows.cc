#include "persistence/store/recorded_rows.h"

#include <utility>

#include "base/try.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/trace.h"

namespace toolway::persistence::store {
namespace {

/// What a request and its events have in common.
template <typename Message>
void describe(RecordedCall& call, const Message& message) {
  call.call_id = message.call_id();
  call.tenant_id = message.tenant_id();
  call.user_id = message.user_id();
  call.session_key = message.session_key();
  call.session_id = message.session_id();
  call.labels = message.labels();
  call.submitted_at = from_unix_us(message.submitted_at_us());
}

}  // namespace

EventPosition position_of(const postgres::SqlRow& row, std::string_view prefix) {
  const auto number = [&](const char* name) {
    return row.get<std::int64_t>(std::string(prefix) + name);
  };
  return {number("incarnation"), static_cast<std::uint64_t>(number("sequence"))};
}

Result<v1::CallEvent> merged_event(const std::string& event, std::optional<std::string> result) {
  auto decoded = proto::decode_event(event);
  if (decoded && result) decoded->mutable_completed()->set_result(*std::move(result));
  return decoded;
}

Result<RecordedEvent> recorded_event(const postgres::SqlRow& row) {
  ASSIGN_OR_RETURN(
      auto event, merged_event(row.get<std::string>("event"), row.nullable<std::string>("result")));
  return RecordedEvent{position_of(row), std::move(event)};
}

Result<RecordedCall> recorded_call(const postgres::SqlRow& row) {
  RecordedCall call;
  const auto asked = row.nullable<std::string>("request");
  if (asked) {
    ASSIGN_OR_RETURN(auto request, proto::decode_call(*asked));
    describe(call, request);
    call.spec_digest = request.spec_digest();
    call.pool = request.pool();
    call.secret_places.assign(request.secret_places().begin(), request.secret_places().end());
    call.trace = proto::trace_of(request.trace());
    call.admission = proto::admission_to_tell(request);
    call.held = proto::waits_for_approval(request);
    call.parent_call_id = request.parent_call_id();
    call.face = request.face();
    auto arguments = row.nullable<std::string>("arguments");
    call.arguments = arguments ? *std::move(arguments) : request.arguments();
  }
  if (const auto step = row.nullable<std::string>("step")) {
    call.held = false;  // its release is not recorded yet
    ASSIGN_OR_RETURN(auto event, proto::decode_event(*step));
    call.attempt = event.attempt();
    if (event.has_retry_at()) {
      call.retry_at = from_unix_us(event.retry_at().at_us());
    } else {
      call.started_at = from_unix_us(event.time_us());
    }
  }
  if (const auto completion = row.nullable<std::string>("completion")) {
    ASSIGN_OR_RETURN(auto event, merged_event(*completion, row.nullable<std::string>("result")));
    // Another collector may still hold the batch with the request.
    if (!asked) describe(call, event);
    call.attempt = event.attempt();
    call.retry_at.reset();
    if (const auto started = event.completed().started_at_us(); started != 0) {
      call.started_at = from_unix_us(started);
    }
    call.completion = std::move(event);
    if (const auto committed = row.nullable<std::int64_t>("committed"))
      call.recorded_at = from_unix_us(*committed);
  }
  return call;
}

Result<MailboxEntry> mailbox_entry(const postgres::SqlRow& row) {
  ASSIGN_OR_RETURN(auto call, recorded_call(row));
  call.face.clear();  // completions are as they were before calls had one
  return MailboxEntry{
      {row.get<std::uint64_t>("xid"), static_cast<std::uint64_t>(row.get<std::int64_t>("number"))},
      std::move(call),
      row.get<bool>("early")};
}

Result<ManifestCall> manifest_call(const postgres::SqlRow& row) {
  ManifestCall call;
  call.call_id = row.get<std::string>("call_id");
  call.labels.set_namespace_(row.get<std::string>("namespace"));
  call.labels.set_tool(row.get<std::string>("tool"));
  call.labels.set_tool_call_id(row.get<std::string>("tool_call_id"));
  call.labels.set_topic(row.get<std::string>("topic"));
  call.labels.set_multi_step(row.get<bool>("multi_step"));
  call.submitted_at = from_unix_us(row.get<std::int64_t>("submitted"));
  if (const auto outcome = row.nullable<std::string>("outcome")) {
    call.state = CallState::kCompleted;
    call.outcome = proto::outcome_named(*outcome);
    call.error_code = row.nullable<std::string>("error_code").value_or("");
  } else if (row.nullable<std::string>("step") == "started") {
    call.state = CallState::kRunning;
  } else if (row.get<bool>("held")) {
    call.state = CallState::kHeld;
  }
  return call;
}

Result<BlobPiece> blob_piece(const postgres::SqlRow& row) {
  return BlobPiece{static_cast<unsigned>(row.get<std::int64_t>("number")),
                   row.get<std::string>("data")};
}

}  // namespace toolway::persistence::store
