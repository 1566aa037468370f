#include "persistence/audit/audit_reader.h"

#include <fmt/format.h>

#include "base/try.h"
#include "persistence/audit/seal_rows.h"

namespace toolway::persistence::audit {
namespace {

using postgres::SqlRow;
using postgres::SqlRows;

/// Of seals, which have up to 520 KB and rarely more.
constexpr std::size_t kSealsAtOnce = 16;
constexpr std::size_t kRecordsAtOnce = 5'000;
/// From the newest one down, in search of one that tells what was dropped.
constexpr int kNewestTried = 100;

/// The rows of a cursor, one by one.
class Rows {
 public:
  using Fetch = std::function<Result<SqlRows>()>;
  explicit Rows(Fetch fetch) : fetch_(std::move(fetch)) {}

  /// Null: it was the last one. Valid until the next call.
  Result<const SqlRow*> next() {
    if (at_ == page_.size()) {
      ASSIGN_OR_RETURN(page_, fetch_());
      at_ = 0;
      if (page_.empty()) return nullptr;
    }
    return &page_[at_++];
  }

 private:
  const Fetch fetch_;
  SqlRows page_;
  std::size_t at_ = 0;
};

std::string moment_sql(WallTime time) {
  return fmt::format("'epoch'::timestamptz + {} * interval '1 microsecond'", to_unix_us(time));
}

std::string fetch_sql(std::string_view cursor, std::size_t count) {
  return fmt::format("FETCH {} FROM {}", count, cursor);
}

}  // namespace

Result<AuditReader> AuditReader::open(const std::string& postgres_url) {
  auto connection = postgres::PgConnection::open(postgres_url, postgres::patience_of_a_command(),
                                                 postgres::PgAccess::kReadOnly);
  if (!connection) return fail(postgres::error_of(connection.error(), "connecting to Postgres"));
  AuditReader reader(std::move(*connection));
  RETURN_IF_ERROR(reader.ask("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
  return reader;
}

Result<SqlRows> AuditReader::ask(const std::string& sql,
                                 const std::vector<postgres::SqlParameter>& parameters) {
  auto rows = connection_.execute(sql, parameters);
  if (rows) return std::move(*rows);
  constexpr std::string_view kNoSuchTable = "42P01";
  if (rows.error().sqlstate == kNoSuchTable)
    return fail(ErrorCode::kInvalidRequest,
                "this database has no audit yet: run `toolway migrate` of this version");
  return fail(postgres::error_of(rows.error(), "reading the audit"));
}

Result<std::optional<Seal>> AuditReader::newest_good_seal(const SealKeys& keys) {
  for (int i = 0; i < kNewestTried; ++i) {
    ASSIGN_OR_RETURN(
        const auto rows,
        ask(fmt::format("SELECT {} FROM audit_seals ORDER BY number DESC OFFSET {} LIMIT 1",
                        seal_columns(), i)));
    if (rows.empty()) break;
    auto seal = seal_of(rows.front());
    if (check(seal, keys) == SealState::kGood) return std::optional(std::move(seal));
  }
  return std::optional<Seal>();
}

Result<Verified> AuditReader::verify(const SealKeys& keys, std::optional<Anchor> anchor,
                                     WallTime now) {
  ASSIGN_OR_RETURN(auto newest, newest_good_seal(keys));
  RETURN_IF_ERROR(
      ask(fmt::format("DECLARE seals NO SCROLL CURSOR FOR SELECT {} FROM audit_seals "
                      "ORDER BY number",
                      seal_columns())));
  RETURN_IF_ERROR(
      ask(fmt::format("DECLARE records NO SCROLL CURSOR FOR SELECT {} FROM audit_log "
                      "ORDER BY xid, number",
                      record_columns())));
  Rows seals([this] { return ask(fetch_sql("seals", kSealsAtOnce)); });
  Rows records([this] { return ask(fetch_sql("records", kRecordsAtOnce)); });
  const ToVerify given{.keys = keys,
                       .newest = std::move(newest),
                       .anchor = std::move(anchor),
                       .now_us = to_unix_us(now),
                       .next_seal = [&]() -> Result<std::optional<Seal>> {
                         ASSIGN_OR_RETURN(const auto* row, seals.next());
                         return row == nullptr ? std::nullopt : std::optional(seal_of(*row));
                       },
                       .next_record = [&]() -> Result<std::optional<FoundRecord>> {
                         ASSIGN_OR_RETURN(const auto* row, records.next());
                         return row == nullptr ? std::nullopt : std::optional(found_record(*row));
                       }};
  return audit::verify(given);
}

Result<std::uint64_t> AuditReader::export_to(const ExportFilter& filter,
                                             const std::function<void(std::string_view)>& take) {
  std::string where = "true";
  std::vector<postgres::SqlParameter> parameters;
  const auto equals = [&](const char* column, const std::optional<std::string>& value) {
    if (!value) return;
    parameters.emplace_back(*value);
    where += fmt::format(" AND {} = ${}", column, parameters.size());
  };
  if (filter.since) where += " AND at >= " + moment_sql(*filter.since);
  if (filter.until) where += " AND at < " + moment_sql(*filter.until);
  equals("tenant_id", filter.tenant);
  equals("what", filter.what);
  RETURN_IF_ERROR(ask(fmt::format("DECLARE exported NO SCROLL CURSOR FOR SELECT {} FROM audit_log "
                                  "WHERE {} ORDER BY xid, number",
                                  record_columns(), where),
                      parameters));
  Rows records([this] { return ask(fetch_sql("exported", kRecordsAtOnce)); });
  for (std::uint64_t count = 0;; ++count) {
    ASSIGN_OR_RETURN(const auto* row, records.next());
    if (row == nullptr) return count;
    take(ndjson_line(*row));
  }
}

}  // namespace toolway::persistence::audit
