#include "persistence/recorded_rows.h"

#include <cstdlib>

#include "proto/codec.h"

namespace toolway::persistence {
namespace {

std::int64_t to_signed(const Cell& cell) {
  return cell ? std::strtoll(cell->c_str(), nullptr, 10) : 0;
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
  auto request = proto::decode_call(bytes_of_bytea(row.at(0).value_or("")));
  if (!request) return fail(request.error());
  RecordedCall call;
  call.call_id = request->call_id();
  call.tenant_id = request->tenant_id();
  call.user_id = request->user_id();
  call.session_key = request->session_key();
  call.session_id = request->session_id();
  call.labels = request->labels();
  call.arguments = row.at(1) ? *row.at(1) : request->arguments();
  call.submitted_at = from_unix_us(request->submitted_at_us());
  if (row.at(2)) {
    call.started_at = from_unix_us(to_signed(row.at(2)));
    call.attempt = static_cast<unsigned>(to_number(row.at(3)));
  }
  if (row.at(4)) {
    auto event = merged_event(row.at(4), row.at(5));
    if (!event) return fail(event.error());
    call.attempt = event->attempt();
    if (const auto started = event->completed().started_at_us(); started != 0) {
      call.started_at = from_unix_us(started);
    }
    call.completion = std::move(*event);
    if (row.at(6)) call.recorded_at = from_unix_us(to_signed(row.at(6)));
  }
  return call;
}

}  // namespace toolway::persistence
