#include "persistence/store/recorded_rows.h"

#include <cstdlib>

#include "proto/codec.h"
#include "proto/trace.h"

namespace toolway::persistence {
namespace {

std::int64_t to_signed(const Cell& cell) {
  return cell ? std::strtoll(cell->c_str(), nullptr, 10) : 0;
}

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

std::uint64_t to_number(const Cell& cell) {
  return cell ? std::strtoull(cell->c_str(), nullptr, 10) : 0;
}

Result<v1::CallEvent> merged_event(const Cell& event, const Cell& result) {
  auto decoded = proto::decode_event(bytes_of_bytea(event.value_or("")));
  if (decoded && result) decoded->mutable_completed()->set_result(*result);
  return decoded;
}

Result<RecordedEvent> recorded_event(const std::vector<Cell>& row) {
  auto event = merged_event(row.at(2), row.at(3));
  if (!event) return fail(event.error());
  return RecordedEvent{{to_signed(row.at(0)), to_number(row.at(1))}, std::move(*event)};
}

Result<RecordedCall> recorded_call(const std::vector<Cell>& row) {
  RecordedCall call;
  if (row.at(0)) {
    auto request = proto::decode_call(bytes_of_bytea(*row.at(0)));
    if (!request) return fail(request.error());
    describe(call, *request);
    call.spec_digest = request->spec_digest();
    call.pool = request->pool();
    call.trace = proto::trace_of(request->trace());
    call.arguments = row.at(1) ? *row.at(1) : request->arguments();
  }
  if (row.at(2)) {
    auto event = proto::decode_event(bytes_of_bytea(*row.at(2)));
    if (!event) return fail(event.error());
    call.attempt = event->attempt();
    if (event->has_retry_at()) {
      call.retry_at = from_unix_us(event->retry_at().at_us());
    } else {
      call.started_at = from_unix_us(event->time_us());
    }
  }
  if (row.at(3)) {
    auto event = merged_event(row.at(3), row.at(4));
    if (!event) return fail(event.error());
    // Another collector may still hold the batch with the request.
    if (!row.at(0)) describe(call, *event);
    call.attempt = event->attempt();
    call.retry_at.reset();
    if (const auto started = event->completed().started_at_us(); started != 0) {
      call.started_at = from_unix_us(started);
    }
    call.completion = std::move(*event);
    if (row.at(5)) call.recorded_at = from_unix_us(to_signed(row.at(5)));
  }
  return call;
}

Result<MailboxEntry> mailbox_entry(const std::vector<Cell>& row) {
  auto call = recorded_call(row);
  if (!call) return fail(call.error());
  return MailboxEntry{{to_number(row.at(6)), to_number(row.at(7))}, std::move(*call)};
}

Result<ManifestCall> manifest_call(const std::vector<Cell>& row) {
  ManifestCall call;
  call.call_id = row.at(0).value_or("");
  call.labels.set_namespace_(row.at(1).value_or(""));
  call.labels.set_tool(row.at(2).value_or(""));
  call.labels.set_tool_call_id(row.at(3).value_or(""));
  call.labels.set_topic(row.at(4).value_or(""));
  call.labels.set_multi_step(row.at(5) == "t");
  call.submitted_at = from_unix_us(to_signed(row.at(6)));
  if (row.at(8)) {
    call.state = CallState::kCompleted;
    call.outcome = proto::outcome_named(*row.at(8));
    call.error_code = row.at(9).value_or("");
  } else if (row.at(7) == "started") {
    call.state = CallState::kRunning;
  }
  return call;
}

}  // namespace toolway::persistence
