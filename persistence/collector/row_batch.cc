#include "persistence/collector/row_batch.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "persistence/collector/approval_rows.h"
#include "persistence/collector/key_rows.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/reused.h"
#include "proto/subjects.h"
#include "proto/trace.h"

namespace toolway::persistence::collector {
namespace {

std::string_view tenant_or_default(std::string_view tenant) {
  return tenant.empty() ? "default" : tenant;
}

/// Protobuf counts in uint32, Postgres in integer; what does not fit is refused
/// there.
std::int32_t to_int4(std::uint32_t value) {
  return value > INT32_MAX ? -1 : static_cast<std::int32_t>(value);
}

void json_or_null(CopyEncoder& out, std::string_view json) {
  if (json.empty()) {
    out.null();
  } else {
    out.bytes(json);
  }
}

void uuid_or_null(CopyEncoder& out, std::string_view id) {
  if (id.empty()) {
    out.null();
  } else {
    out.uuid(uuid_bytes(id));
  }
}

void position(CopyEncoder& out, const Message& message) {
  out.int8(message.incarnation);
  out.int8(static_cast<std::int64_t>(message.sequence));
}

void begin_row(CopyEncoder& out, Table table) {
  out.begin_row(static_cast<std::uint16_t>(layout_of(table).columns.size()));
}

std::string qualified(const v1::CallLabels& labels) {
  std::string name;
  name.reserve(labels.namespace_().size() + 1 + labels.tool().size());
  return name.append(labels.namespace_()).append(1, '.').append(labels.tool());
}

}  // namespace

std::string_view stream_of(Source source) {
  switch (source) {
    case Source::kCalls: return proto::kCallsStream;
    case Source::kEvents: return proto::kEventsStream;
    case Source::kBlobs: return proto::kBlobsStream;
    case Source::kSessions: return proto::kSessionsStream;
    case Source::kAudit: return proto::kAuditStream;
    case Source::kApiKeys: return proto::kApiKeysStream;
  }
  return "";
}

Result<void> RowBatch::add(const Message& message, std::size_t index) {
  ASSIGN_OR_RETURN(auto encoded, encode(message, JsonPlacement::kColumn));
  if (!encoded) return {};
  auto& rows = table(encoded->table);
  encoded->row.message = index;
  rows.rows.push_back(encoded->row);
  rows.redelivered = rows.redelivered || message.redelivered || encoded->repeats;
  add_audit(message, index);
  add_approval(message, index);
  return {};
}

Row RowBatch::encode_verbatim(const Message& message, std::size_t index) {
  auto encoded = encode(message, JsonPlacement::kMessage);
  // It was encoded before, so it is one of our messages and has a row.
  Row row = (*encoded)->row;
  row.message = index;
  return row;
}

void RowBatch::sort() {
  for (std::size_t i = 0; i < kTables; ++i) {
    auto& rows = tables_[i].rows;
    // Completions keep the order of their stream, which the mailbox shows; each
    // has one message, so that is the same order in every collector as well.
    if (static_cast<Table>(i) == Table::kCompletions) {
      std::sort(rows.begin(), rows.end(),
                [](const Row& a, const Row& b) { return a.sequence < b.sequence; });
    } else {
      std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.key, a.sequence) < std::tie(b.key, b.sequence);
      });
    }
  }
}

Result<std::optional<RowBatch::Encoded>> RowBatch::encode(const Message& message,
                                                          JsonPlacement json) {
  // An empty value is how a bucket says that a key was deleted. The row stays:
  // Postgres is the memory.
  const bool of_bucket = message.source == Source::kSessions || message.source == Source::kApiKeys;
  if (of_bucket && message.payload.empty()) return std::optional<Encoded>();
  auto encoded = encode_row(message, json);
  RETURN_IF_ERROR(encoded);
  auto& row = encoded->row;
  if (encoded->table == Table::kAudit) return std::optional<Encoded>(*encoded);
  row.sequence = message.sequence;
  row.length = table(encoded->table).bytes.size() - row.offset;
  row.json = json;
  return std::optional<Encoded>(*encoded);
}

Result<RowBatch::Encoded> RowBatch::encode_row(const Message& message, JsonPlacement json) {
  switch (message.source) {
    case Source::kCalls: return encode_call(message, json);
    case Source::kEvents: return encode_event(message, json);
    case Source::kBlobs: return encode_blob_chunk(message);
    case Source::kSessions: return encode_session(message, json);
    case Source::kAudit: return encode_audit_record(message);
    case Source::kApiKeys: return encode_key(message);
  }
  return fail(ErrorCode::kInternal, "a message from no known stream");
}

Result<RowBatch::Encoded> RowBatch::encode_call(const Message& message, JsonPlacement json) {
  auto& call = call_;
  RETURN_IF_ERROR(proto::decode(message.payload, call));
  auto& bytes = table(Table::kCalls).bytes;
  Encoded encoded{Table::kCalls, {}};
  encoded.row.key = uuid_bytes(call.call_id());
  encoded.row.offset = bytes.size();
  encoded.repeats = call.publication() > 0;

  CopyEncoder out(bytes);
  begin_row(out, Table::kCalls);
  out.uuid(encoded.row.key);
  out.text(tenant_or_default(call.tenant_id()));
  out.text(call.user_id());
  out.uuid(uuid_bytes(call.session_key()));
  out.text(call.session_id());
  out.text(call.labels().namespace_());
  out.text(call.labels().tool());
  out.text(call.labels().tool_call_id());
  out.text(call.labels().topic());
  out.boolean(call.labels().multi_step());
  out.text(call.pool());
  out.time(call.submitted_at_us());
  uuid_or_null(out, call.parent_call_id());
  position(out, message);
  out.boolean(proto::waits_for_approval(call));
  if (json == JsonPlacement::kColumn) {
    json_or_null(out, call.arguments());
    call.mutable_arguments()->clear();
  } else {
    out.null();
  }
  out.message(call);
  return encoded;
}

Result<RowBatch::Encoded> RowBatch::encode_event(const Message& message, JsonPlacement json) {
  const auto& event = event_;
  RETURN_IF_ERROR(proto::decode(message.payload, event_));
  if (event.has_completed()) return encode_completion(message, json);

  const bool alive = event.has_alive();
  Encoded encoded{alive ? Table::kAlive : Table::kEvents, {}};
  auto& bytes = table(encoded.table).bytes;
  encoded.row.key = uuid_bytes(event.call_id());
  encoded.row.offset = bytes.size();

  CopyEncoder out(bytes);
  begin_row(out, encoded.table);
  out.uuid(encoded.row.key);
  out.text(tenant_or_default(event.tenant_id()));
  if (alive) {
    out.int4(to_int4(event.attempt()));
    out.int4(to_int4(event.seq()));
    out.time(event.time_us());
    position(out, message);
    return encoded;
  }
  out.uuid(uuid_bytes(event.session_key()));
  position(out, message);
  out.text(proto::event_kind_name(event));
  out.int4(to_int4(event.attempt()));
  out.int4(to_int4(event.seq()));
  out.time(event.time_us());
  out.bytes(message.payload);
  return encoded;
}

/// Of the event that was decoded last.
RowBatch::Encoded RowBatch::encode_completion(const Message& message, JsonPlacement json) {
  const auto& event = event_;
  auto& bytes = table(Table::kCompletions).bytes;
  Encoded encoded{Table::kCompletions, {}};
  encoded.row.key = uuid_bytes(event.call_id());
  encoded.row.offset = bytes.size();

  if (json == JsonPlacement::kColumn && !message.redelivered) {
    CompletedCall call{.tool = qualified(event.labels()),
                       .submitted_at_us = event.submitted_at_us()};
    if (event.has_trace()) call.trace = proto::trace_of(event.trace());
    if (call.trace.sampled) {
      call.call_id = event.call_id();
      call.outcome = event.completed().outcome();
    }
    completed_.push_back(std::move(call));
  }
  const auto& completed = event.completed();
  CopyEncoder out(bytes);
  begin_row(out, Table::kCompletions);
  out.uuid(encoded.row.key);
  out.text(tenant_or_default(event.tenant_id()));
  out.uuid(uuid_bytes(event.session_key()));
  position(out, message);
  out.text(proto::outcome_name(completed.outcome()));
  out.int4(to_int4(event.attempt()));
  out.int4(to_int4(event.seq()));
  out.time_or_null(completed.started_at_us());
  out.time(event.time_us());
  if (completed.has_error()) {
    out.text(completed.error().code());
    out.text(completed.error().message());
  } else {
    out.null();
    out.null();
  }
  if (json == JsonPlacement::kColumn) {
    json_or_null(out, completed.result());
    event_.mutable_completed()->mutable_result()->clear();
  } else {
    out.null();
  }
  if (completed.has_blob()) {
    out.int8(static_cast<std::int64_t>(completed.blob().size()));
  } else {
    out.null();
  }
  out.message(event);
  return encoded;
}

Result<RowBatch::Encoded> RowBatch::encode_blob_chunk(const Message& message) {
  const auto& chunk = chunk_;
  RETURN_IF_ERROR(proto::decode(message.payload, chunk_));
  auto& bytes = table(Table::kBlobs).bytes;
  Encoded encoded{Table::kBlobs, {}};
  encoded.row.key = uuid_bytes(chunk.call_id());
  encoded.row.offset = bytes.size();

  CopyEncoder out(bytes);
  begin_row(out, Table::kBlobs);
  out.uuid(encoded.row.key);
  out.text(tenant_or_default(chunk.tenant_id()));
  out.int4(to_int4(chunk.attempt()));
  out.int4(to_int4(chunk.number()));
  position(out, message);
  out.bytes(chunk.data());
  return encoded;
}

Result<RowBatch::Encoded> RowBatch::encode_session(const Message& message, JsonPlacement json) {
  const auto& session = session_;
  RETURN_IF_ERROR(proto::decode(message.payload, session_));
  auto& bytes = table(Table::kSessions).bytes;
  Encoded encoded{Table::kSessions, {}};
  encoded.row.key = uuid_bytes(session.session_key());
  encoded.row.offset = bytes.size();

  CopyEncoder out(bytes);
  begin_row(out, Table::kSessions);
  out.uuid(encoded.row.key);
  out.text(tenant_or_default(session.tenant_id()));
  out.text(session.user_id());
  out.text(session.session_id());
  out.texts(session.namespaces());
  out.text(proto::session_state_name(session.state()));
  out.time(session.created_at_us());
  out.time(session.updated_at_us());
  position(out, message);
  out.text_or_null(proto::closing_name(session.closing()));
  out.time_or_null(session.closed_at_us());
  out.time_or_null(session.active_at_us());
  out.text_or_null(session.toolset_digest());
  out.int8(static_cast<std::int64_t>(session.read_xid()));  // an xid8 has the same bytes
  out.int8(static_cast<std::int64_t>(session.read_number()));
  if (json == JsonPlacement::kColumn) {
    json_or_null(out, session.metadata());
  } else {
    out.null();
  }
  out.bytes(message.payload);
  return encoded;
}

Result<RowBatch::Encoded> RowBatch::encode_audit_record(const Message& message) {
  RETURN_IF_ERROR(proto::decode(message.payload, record_));
  return Encoded{Table::kAudit, encode_audit(AuditRowOf(record_))};
}

void RowBatch::add_audit(const Message& message, std::size_t index) {
  const auto add = [&](const AuditRowOf& record, bool repeats) {
    auto& rows = table(Table::kAudit);
    Row row = encode_audit(record);
    row.message = index;
    rows.rows.push_back(row);
    rows.redelivered = rows.redelivered || message.redelivered || repeats;
  };
  if (message.source == Source::kCalls && proto::waits_for_approval(call_))
    add(AuditRowOf(call_), call_.publication() > 0);
  if (message.source == Source::kEvents &&
      (event_.has_completed() || event_.has_approval_decided()))
    add(AuditRowOf(event_), false);
}

void RowBatch::add_approval(const Message& message, std::size_t index) {
  auto& rows = table(Table::kApprovals);
  std::optional<Row> row;
  if (message.source == Source::kCalls) row = encode_approval(call_, rows.bytes);
  if (message.source == Source::kEvents) row = encode_approval(event_, rows.bytes);
  if (!row) return;
  row->message = index;
  rows.rows.push_back(*row);
}

Result<RowBatch::Encoded> RowBatch::encode_key(const Message& message) {
  ASSIGN_OR_RETURN(auto row, encode_api_key(message, key_, table(Table::kApiKeys).bytes));
  return Encoded{Table::kApiKeys, row};
}

Row RowBatch::encode_audit(const AuditRowOf& record) {
  const auto& said = record.row();
  auto& bytes = table(Table::kAudit).bytes;
  // No other way to write it is tried when Postgres refuses it: its digest is of this one.
  Row row{.key = uuid_bytes(said.id),
          .sequence = said.seq,
          .offset = bytes.size(),
          .json = JsonPlacement::kMessage};
  CopyEncoder out(bytes);
  begin_row(out, Table::kAudit);
  out.time(said.at_us);
  out.text(said.what);
  out.uuid(row.key);
  out.int4(to_int4(said.seq));
  for (const auto text : {said.tenant_id, said.user_id, said.method, said.key_id, said.session_id,
                          said.object, said.outcome, said.code})
    out.bytes(text);
  if (said.details)
    out.bytes(*said.details);
  else
    out.null();
  out.bytes(audit::digest_of(said));
  row.length = bytes.size() - row.offset;
  return row;
}

}  // namespace toolway::persistence::collector
