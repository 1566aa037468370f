#include "persistence/collector/batch_writer.h"

#include <fmt/format.h>

#include <array>

#include "base/try.h"
#include "base/utf8.h"

namespace toolway::persistence::collector {
namespace {

constexpr std::array<Table, kTables> kInOrder{Table::kCalls, Table::kEvents,    Table::kCompletions,
                                              Table::kAlive, Table::kBlobs,     Table::kSessions,
                                              Table::kAudit, Table::kApprovals, Table::kApiKeys};

constexpr std::size_t kKeptBuffer = 4 * 1024 * 1024;

/// Whether its rows cannot be appended.
bool always_merged(Table table) { return layout_of(table).rule == MergeRule::kAlwaysMerge; }

std::string timestamp_text(WallTime time) {
  return fmt::format("'epoch'::timestamptz + {} * interval '1 microsecond'", to_unix_us(time));
}

/// Into `target`, the table itself or its batch table.
std::string copy_sql(std::string_view target, const TableLayout& layout) {
  return fmt::format("COPY {} ({}) FROM STDIN (FORMAT binary)", target, column_list(layout));
}

/// What such a COPY reads.
void append_rows(std::string& out, const TableRows& from, const std::vector<Row>& rows) {
  out.append(CopyEncoder::header());
  for (const auto& row : rows) out.append(from.bytes, row.offset, row.length);
  out.append(CopyEncoder::trailer());
}

}  // namespace

Batch::Batch(std::vector<Message> pulled) : messages(std::move(pulled)) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (auto added = rows.add(messages[i], i); !added) {
      undecodable.push_back({i, added.error().message});
    }
  }
  rows.sort();
}

postgres::PgResult<void> BatchWriter::connect() {
  if (connection_ && !connection_->broken()) return {};
  connection_.reset();
  batch_tables_made_ = false;
  ASSIGN_OR_RETURN(connection_, CopyConnection::open(url_, patience_));
  settle_doubt();
  return {};
}

/// Whether a transaction whose COMMIT got no answer was committed. Its rows are
/// written again and found; only this tells when they were there.
void BatchWriter::settle_doubt() {
  if (!in_doubt_) return;
  auto status = connection_->execute("SELECT pg_xact_status($1::xid8)", {*in_doubt_});
  if (status && status->value == "committed") {
    unconfirmed_ = Confirmation{*in_doubt_, clock_.wall()};
  }
  in_doubt_.reset();
}

template <typename T>
postgres::PgResult<T> BatchWriter::abandon(postgres::PgError error) {
  if (connection_ && !connection_->broken()) {
    if (!connection_->execute("ROLLBACK")) connection_.reset();
  } else {
    connection_.reset();
  }
  return tl::unexpected<postgres::PgError>(std::move(error));
}

postgres::PgResult<WriteReport> BatchWriter::write(Batch& batch,
                                                   const std::function<void()>& while_finishing) {
  RETURN_IF_ERROR(connect());
  if (expect_duplicates_ || !batch.undecodable.empty()) return write_with_care(batch);
  auto written = write_directly(batch, while_finishing);
  if (written || written.error().failure != postgres::PgFailure::kData) return written;
  return write_with_care(batch);
}

/// The whole transaction, from BEGIN to COMMIT: Postgres is waited for once per table.
CopyScript BatchWriter::script_of(const Batch& batch) {
  CopyScript script{begin_sql() + "; ", {}};
  std::vector<std::size_t> ends;
  buffer_.clear();
  for (const auto table : kInOrder) {
    const auto& rows = batch.rows.table(table);
    if (rows.rows.empty()) continue;
    const auto& layout = layout_of(table);
    // All rows of a table are written the same way, so that they are locked in order.
    if (always_merged(table) || rows.redelivered) {
      if (!batch_tables_made_ && !batch_tables_in_doubt_) script.sql += batch_tables_sql();
      batch_tables_in_doubt_ = true;
      script.sql += copy_sql(batch_table(layout), layout) + "; " + merge_sql(layout) + "; ";
    } else {
      script.sql += copy_sql(layout.name, layout) + "; ";
    }
    append_rows(buffer_, rows, rows.rows);
    ends.push_back(buffer_.size());
  }
  script.sql += "COMMIT";
  std::size_t begin = 0;
  for (const auto end : ends) {
    script.data.push_back(std::string_view(buffer_).substr(begin, end - begin));
    begin = end;
  }
  return script;
}

postgres::PgResult<WriteReport> BatchWriter::write_directly(
    Batch& batch, const std::function<void()>& while_finishing) {
  batch_tables_in_doubt_ = false;
  auto script = script_of(batch);
  script.while_finishing = while_finishing;
  auto done = connection_->run(script);
  forget_large_buffer();
  xid_ = std::move(script.value);
  if (!done) {
    if (connection_->broken() && !xid_.empty()) in_doubt_ = xid_;
    return abandon<WriteReport>(done.error());
  }
  committed(batch);
  return WriteReport{};
}

postgres::PgResult<WriteReport> BatchWriter::write_with_care(Batch& batch) {
  if (auto begun = begin(); !begun) return abandon<WriteReport>(begun.error());
  if (auto made = make_batch_tables(); !made) return abandon<WriteReport>(made.error());
  WriteReport report;
  report.dead = batch.undecodable;
  for (const auto table : kInOrder) {
    auto rows = batch.rows.table(table).rows;
    if (rows.empty()) continue;
    auto merged = merge_or_halve(batch, table, std::move(rows), report);
    if (!merged) return abandon<WriteReport>(merged.error());
  }
  if (auto done = set_aside(batch, report.dead); !done) return abandon<WriteReport>(done.error());
  if (auto done = commit(batch); !done) return abandon<WriteReport>(done.error());
  expect_duplicates_ = report.duplicates;
  return report;
}

postgres::PgResult<void> BatchWriter::merge_or_halve(Batch& batch, Table table,
                                                     std::vector<Row> rows, WriteReport& report) {
  RETURN_IF_ERROR(connection_->execute("SAVEPOINT rows"));
  auto merged = merge(table, batch.rows.table(table), rows);
  if (merged) {
    RETURN_IF_ERROR(connection_->execute("RELEASE SAVEPOINT rows"));
    report.duplicates = report.duplicates || (!always_merged(table) && *merged < rows.size());
    return {};
  }
  if (merged.error().failure != postgres::PgFailure::kData)
    return tl::unexpected<postgres::PgError>(merged.error());
  RETURN_IF_ERROR(connection_->execute("ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows"));

  if (rows.size() > 1) {
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
    RETURN_IF_ERROR(merge_or_halve(batch, table, {rows.begin(), middle}, report));
    return merge_or_halve(batch, table, {middle, rows.end()}, report);
  }
  const auto& row = rows.front();
  if (row.json == JsonPlacement::kColumn) {
    // Perhaps it is only the JSON that Postgres refuses.
    const auto verbatim = batch.rows.encode_verbatim(batch.messages[row.message], row.message);
    return merge_or_halve(batch, table, {verbatim}, report);
  }
  report.dead.push_back({row.message, merged.error().message});
  return {};
}

/// The last of its results is the transaction's id.
std::string BatchWriter::begin_sql() const {
  std::string sql = "BEGIN; ";
  if (unconfirmed_) {
    sql += fmt::format("INSERT INTO recorded_batches VALUES ('{}', {}) ON CONFLICT DO NOTHING; ",
                       unconfirmed_->xid, timestamp_text(unconfirmed_->committed_at));
  }
  return sql + "SELECT pg_current_xact_id()";
}

postgres::PgResult<void> BatchWriter::begin() {
  ASSIGN_OR_RETURN(auto begun, connection_->execute(begin_sql()));
  xid_ = std::move(begun.value);
  batch_tables_in_doubt_ = false;
  return {};
}

postgres::PgResult<void> BatchWriter::commit(const Batch& batch) {
  auto done = connection_->execute("COMMIT");
  if (!done) {
    in_doubt_ = xid_;
    return tl::unexpected<postgres::PgError>(done.error());
  }
  committed(batch);
  return {};
}

void BatchWriter::committed(const Batch& batch) {
  // The previous COMMIT's time was part of this transaction.
  unconfirmed_.reset();
  if (!batch.rows.table(Table::kCompletions).rows.empty()) {
    unconfirmed_ = Confirmation{xid_, clock_.wall()};
  }
  batch_tables_made_ = batch_tables_made_ || batch_tables_in_doubt_;
}

postgres::PgResult<void> BatchWriter::confirm() {
  if (!unconfirmed_) return {};
  RETURN_IF_ERROR(connect());
  // If a crash of the server loses it, one number of the statistics is missing.
  auto done = connection_->execute(
      fmt::format("SET LOCAL synchronous_commit = off; "
                  "INSERT INTO recorded_batches VALUES ('{}', {}) ON CONFLICT DO NOTHING",
                  unconfirmed_->xid, timestamp_text(unconfirmed_->committed_at)));
  if (!done) {
    if (connection_->broken()) connection_.reset();
    return tl::unexpected<postgres::PgError>(done.error());
  }
  unconfirmed_.reset();
  return {};
}

postgres::PgResult<void> BatchWriter::make_partitions() {
  constexpr std::string_view kDays =
      "((now() AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date + 3)";
  return of_partitions(fmt::format("make_partitions{0} + make_audit_partitions{0}", kDays));
}

postgres::PgResult<void> BatchWriter::drop_partitions(unsigned keep_days) {
  return of_partitions(
      fmt::format("drop_partitions_before((now() AT TIME ZONE 'UTC')::date - {})", keep_days));
}

postgres::PgResult<void> BatchWriter::of_partitions(const std::string& call) {
  RETURN_IF_ERROR(connect());
  // Never waits long for a lock, since others then wait for this statement.
  auto done = connection_->execute("SET LOCAL lock_timeout = '2s'; SELECT " + call);
  if (done) return {};
  if (connection_->broken()) connection_.reset();
  return tl::unexpected<postgres::PgError>(done.error());
}

/// After chunks of large results.
void BatchWriter::forget_large_buffer() {
  if (buffer_.capacity() > kKeptBuffer) buffer_ = std::string();
}

postgres::PgResult<std::uint64_t> BatchWriter::merge(Table table, const TableRows& from,
                                                     const std::vector<Row>& rows) {
  const auto& layout = layout_of(table);
  buffer_.clear();
  append_rows(buffer_, from, rows);
  CopyScript script{copy_sql(batch_table(layout), layout), {buffer_}};
  auto copied = connection_->run(script);
  forget_large_buffer();
  RETURN_IF_ERROR(copied);
  ASSIGN_OR_RETURN(auto merged, connection_->execute(merge_sql(layout)));
  RETURN_IF_ERROR(connection_->execute(fmt::format("DELETE FROM {}", batch_table(layout))));
  return merged.affected;
}

std::string BatchWriter::batch_tables_sql() {
  std::string sql;
  for (const auto table : kInOrder) {
    const auto& layout = layout_of(table);
    sql += fmt::format(
        "CREATE TEMP TABLE IF NOT EXISTS {} ON COMMIT DELETE ROWS AS "
        "SELECT {} FROM {} WITH NO DATA; ",
        batch_table(layout), column_list(layout), layout.name);
  }
  return sql;
}

postgres::PgResult<void> BatchWriter::make_batch_tables() {
  if (batch_tables_made_ || batch_tables_in_doubt_) return {};
  RETURN_IF_ERROR(connection_->execute(batch_tables_sql()));
  batch_tables_in_doubt_ = true;
  return {};
}

postgres::PgResult<void> BatchWriter::set_aside(const Batch& batch,
                                                const std::vector<DeadMessage>& dead) {
  for (const auto& [index, reason] : dead) {
    const auto& message = batch.messages[index];
    const bool readable =
        valid_utf8(message.subject) && message.subject.find('\0') == std::string_view::npos;
    RETURN_IF_ERROR(connection_->execute(
        "INSERT INTO dead_events (stream, incarnation, sequence, subject, payload, reason) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        {stream_of(message.source), message.incarnation, message.sequence,
         readable ? postgres::SqlParameter(message.subject)
                  : postgres::SqlParameter::bytes(message.subject),
         postgres::SqlParameter::bytes(message.payload), reason}));
  }
  return {};
}

}  // namespace toolway::persistence::collector
