#include "persistence/audit/audit_page.h"

#include <fmt/format.h>

#include "persistence/audit/seal_rows.h"

namespace toolway::persistence::audit {
namespace {

/// Where `looked` begins and ends, and which of it is shown.
class Conditions {
 public:
  explicit Conditions(std::vector<postgres::SqlParameter>& parameters) : parameters_(parameters) {}

  void equals(std::string_view column, const std::string& value) {
    parameters_.emplace_back(value);
    shown_ += fmt::format(" AND {} = ${}", column, parameters_.size());
  }
  void at(std::string_view comparison, WallTime time) {
    parameters_.emplace_back(to_unix_us(time));
    shown_ +=
        fmt::format(" AND at {} 'epoch'::timestamptz + ${}::bigint * interval '1 microsecond'",
                    comparison, parameters_.size());
  }
  const std::string& shown() const { return shown_; }

 private:
  std::vector<postgres::SqlParameter>& parameters_;
  std::string shown_;
};

}  // namespace

PageStatement page_statement(const RecordFilter& filter, RecordPlace after, std::size_t limit) {
  PageStatement statement;
  statement.parameters = {after.xid, after.number, limit + 1};
  Conditions conditions(statement.parameters);
  if (filter.tenant) conditions.equals("tenant_id", *filter.tenant);
  if (!filter.what.empty()) conditions.equals("what", filter.what);
  if (!filter.user.empty()) conditions.equals("user_id", filter.user);
  if (filter.since) conditions.at(">=", *filter.since);
  if (filter.until) conditions.at("<", *filter.until);
  const auto looks = conditions.shown().empty() ? limit + 1 : kMaxRecordLooks;
  statement.sql = fmt::format(
      "WITH looked AS MATERIALIZED (SELECT * FROM audit_log "
      "WHERE (xid, number) > ($1::xid8, $2::bigint) "
      "AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, number LIMIT {0}), "
      "ending AS (SELECT xid AS last_xid, number AS last_number, "
      "(SELECT count(*) FROM looked) >= {0} AS full_look "
      "FROM looked ORDER BY xid DESC, number DESC LIMIT 1) "
      "SELECT r.*, ending.* FROM ending LEFT JOIN LATERAL (SELECT {1} FROM looked WHERE true{2} "
      "ORDER BY xid, number LIMIT $3::bigint) r ON true ORDER BY r.xid, r.number",
      looks, record_columns(), conditions.shown());
  return statement;
}

RecordPage record_page(const postgres::SqlRows& rows, RecordPlace after, std::size_t limit) {
  RecordPage page{.records = {}, .looked_to = after};
  if (rows.empty()) return page;
  for (const auto& row : rows) {
    if (!row.nullable<std::uint64_t>("xid")) continue;  // none of those looked at
    if (page.records.size() == limit) {
      page.more = true;
      return page;
    }
    page.records.push_back(ndjson_line(row));
    page.looked_to = {row.get<std::uint64_t>("xid"),
                      static_cast<std::uint64_t>(row.get<std::int64_t>("number"))};
  }
  const auto& last = rows.front();
  page.looked_to = {last.get<std::uint64_t>("last_xid"),
                    static_cast<std::uint64_t>(last.get<std::int64_t>("last_number"))};
  page.more = last.get<bool>("full_look");
  return page;
}

}  // namespace toolway::persistence::audit
