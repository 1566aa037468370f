#include "persistence/reaper/elected_connection.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/try.h"

namespace toolway::persistence::reaper {
namespace {

/// Of the advisory locks: "reaper" and "sealer" in ASCII.
std::int64_t lock_of(Office office) {
  return office == Office::kReaper ? 0x726561706572 : 0x7365616c6572;
}

Error query_error(Office office, const postgres::PgError& error) {
  return {ErrorCode::kStoreUnavailable,
          fmt::format("the {}'s query to Postgres failed: {}{}{}",
                      office == Office::kReaper ? "reaper" : "sealer", error.sqlstate,
                      error.sqlstate.empty() ? "" : " ", error.message),
          {}};
}

}  // namespace

Result<bool> ElectedConnection::elected() {
  if (!connection_ || connection_->broken()) {
    elected_ = false;
    connection_.reset();
    auto opened = postgres::PgConnection::open(url_, patience_);
    if (!opened) return fail(query_error(office_, opened.error()));
    connection_ = std::move(*opened);
    // What others have locked delays neither the rounds nor the end. A plan that is kept may be
    // made while the tables are empty: it then would read whole tables, until Postgres analysed
    // them.
    RETURN_IF_ERROR(ask("SET lock_timeout = '2s'; SET enable_seqscan = off"));
  }
  // Asked each time: an answer is also the proof that the connection holds.
  auto rows = ask(
      fmt::format("SELECT {} AS elected",
                  elected_ ? "true" : fmt::format("pg_try_advisory_lock({})", lock_of(office_))));
  RETURN_IF_ERROR(rows);
  elected_ = rows->at(0).get<bool>("elected");
  return elected_;
}

void ElectedConnection::resign() {
  connection_.reset();
  elected_ = false;
}

Result<postgres::SqlRows> ElectedConnection::look(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters,
    postgres::Planning planning) {
  if (!connection_) return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
  auto reply = connection_->execute(sql, parameters, planning);
  if (reply) return std::move(*reply);
  if (connection_->broken()) resign();
  return fail(query_error(office_, reply.error()));
}

Result<postgres::SqlRows> ElectedConnection::ask(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters,
    postgres::Planning planning) {
  auto rows = look(sql, parameters, planning);
  // Whatever it was: start over with a new connection and a new election.
  if (!rows) resign();
  return rows;
}

}  // namespace toolway::persistence::reaper
