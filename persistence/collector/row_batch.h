#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/trace_context.h"
#include "persistence/collector/audit_rows.h"
#include "persistence/collector/copy_encoder.h"
#include "persistence/collector/row.h"
#include "persistence/collector/table_layout.h"
#include "proto/toolway/v1/api_key.pb.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/session.pb.h"

/// From messages to rows. Pure: knows neither bus nor Postgres.
namespace toolway::persistence::collector {

/// The stream's name.
std::string_view stream_of(Source source);

struct TableRows {
  std::string bytes;
  std::vector<Row> rows;
  bool redelivered = false;  ///< keys of some of them may already be in the table
};

/// A call that the batch completes, for the latency that metrics show, and for
/// its trace.
struct CompletedCall {
  std::string tool;  ///< qualified
  std::int64_t submitted_at_us = 0;
  TraceContext trace{};   ///< that its completion was sent from
  std::string call_id{};  ///< of a sampled trace only
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
};

/// The rows of one batch, by table.
class RowBatch {
 public:
  /// Adds message number `index`; a bucket's delete marker has no row. Errors:
  /// why it is not one of our messages.
  Result<void> add(const Message& message, std::size_t index);
  /// Encodes a message of the batch again, in another way; the row
  /// is returned and not added.
  Row encode_verbatim(const Message& message, std::size_t index);
  /// Brings every table's rows into the order in which they are written.
  void sort();

  TableRows& table(Table name) { return tables_[static_cast<std::size_t>(name)]; }
  const TableRows& table(Table name) const { return tables_[static_cast<std::size_t>(name)]; }
  const std::vector<CompletedCall>& completed() const { return completed_; }

 private:
  struct Encoded {
    Table table;
    Row row;
    bool repeats = false;  ///< its key is most likely already in the table
  };
  Result<std::optional<Encoded>> encode(const Message& message, JsonPlacement json);
  Result<Encoded> encode_row(const Message& message, JsonPlacement json);
  Result<Encoded> encode_call(const Message& message, JsonPlacement json);
  Result<Encoded> encode_event(const Message& message, JsonPlacement json);
  Result<Encoded> encode_blob_chunk(const Message& message);
  Result<Encoded> encode_session(const Message& message, JsonPlacement json);
  Encoded encode_completion(const Message& message, JsonPlacement json);
  Result<Encoded> encode_audit_record(const Message& message);
  /// What the audit records of the call or event that was decoded last.
  void add_audit(const Message& message, std::size_t index);
  Row encode_audit(const AuditRowOf& record);
  /// What the call or event that was decoded last says about an approval.
  void add_approval(const Message& message, std::size_t index);
  Result<Encoded> encode_key(const Message& message);

  std::array<TableRows, kTables> tables_;
  std::vector<CompletedCall> completed_;

  // What was decoded last: the next of its kind uses its memory.
  v1::CallRequest call_;
  v1::CallEvent event_;
  v1::BlobChunk chunk_;
  v1::SessionRecord session_;
  v1::AuditRecord record_;
  v1::ApiKeyRecord key_;
};

}  // namespace toolway::persistence::collector
