#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "persistence/collector/copy_connection.h"
#include "persistence/collector/row_batch.h"

namespace toolway::persistence::collector {

/// A message that was, or has to be, set aside.
struct DeadMessage {
  std::size_t message = 0;  ///< its index in the batch
  std::string reason;
};

/// The messages of one transaction: encoded once, written as often as it takes.
struct Batch {
  explicit Batch(std::vector<Message> pulled);

  std::vector<Message> messages;
  RowBatch rows;
  std::vector<DeadMessage> undecodable;
};

struct WriteReport {
  std::vector<DeadMessage> dead;
  bool duplicates = false;  ///< some rows already existed
};

/// Writes batches over one connection: COPY straight into the tables, and,
/// when rows turn out to exist already or to be refused, COPY into temporary
/// tables and INSERT … ON CONFLICT, halving until what is refused is alone
/// and is set aside. Idempotent. One thread at a time.
class BatchWriter {
 public:
  BatchWriter(std::string url, const Clock& clock, postgres::PgPatience patience = {})
      : url_(std::move(url)), clock_(clock), patience_(std::move(patience)) {}

  /// One transaction; when it returns a report, it is committed. Connects when
  /// there is no connection. On an error nothing is known to be written: write
  /// the same batch again. Calls `while_finishing`, if at all, while Postgres works at the last of
  /// it.
  postgres::PgResult<WriteReport> write(Batch& batch,
                                        const std::function<void()>& while_finishing = {});

  /// Whether the time of the last COMMIT still has to be written.
  bool owes_confirmation() const { return unconfirmed_.has_value(); }
  /// Writes it on its own; the next batch would write it too.
  postgres::PgResult<void> confirm();

  /// Makes the partitions of today and the days ahead.
  postgres::PgResult<void> make_partitions();
  /// Drops those of whole days that are more than `keep_days` ago, with all calls, events and
  /// results in them. What would have to wait for others' locks for 2 s is left for the next time.
  postgres::PgResult<void> drop_partitions(unsigned keep_days);

 private:
  postgres::PgResult<void> of_partitions(const std::string& call);
  struct Confirmation {
    std::string xid;
    WallTime committed_at;
  };
  postgres::PgResult<void> connect();
  postgres::PgResult<WriteReport> write_directly(Batch& batch,
                                                 const std::function<void()>& while_finishing);
  postgres::PgResult<WriteReport> write_with_care(Batch& batch);
  CopyScript script_of(const Batch& batch);
  std::string begin_sql() const;
  postgres::PgResult<void> begin();
  postgres::PgResult<void> commit(const Batch& batch);
  void committed(const Batch& batch);
  postgres::PgResult<std::uint64_t> merge(Table table, const TableRows& from,
                                          const std::vector<Row>& rows);
  postgres::PgResult<void> merge_or_halve(Batch& batch, Table table, std::vector<Row> rows,
                                          WriteReport& report);
  static std::string batch_tables_sql();
  postgres::PgResult<void> make_batch_tables();
  void forget_large_buffer();
  postgres::PgResult<void> set_aside(const Batch& batch, const std::vector<DeadMessage>& dead);
  void settle_doubt();
  template <typename T>
  postgres::PgResult<T> abandon(postgres::PgError error);

  const std::string url_;
  const Clock& clock_;
  const postgres::PgPatience patience_;
  std::optional<CopyConnection> connection_;
  bool batch_tables_made_ = false;      ///< in this connection, committed
  bool batch_tables_in_doubt_ = false;  ///< made by the transaction in progress
  /// The last batch met rows that already existed: more will follow.
  bool expect_duplicates_ = false;
  std::string xid_;  ///< of the transaction in progress
  std::optional<Confirmation> unconfirmed_;
  std::optional<std::string> in_doubt_;  ///< its COMMIT got no answer
  std::string buffer_;
};

}  // namespace toolway::persistence::collector
