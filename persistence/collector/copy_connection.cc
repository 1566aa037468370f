#include "persistence/collector/copy_connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>

#include "base/try.h"
#include "persistence/postgres/bounded_session.h"

namespace toolway::persistence::collector {
namespace {

postgres::PgError error_of(const PGresult* result, bool connection_lost) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  // Only the primary message: detail and context may quote rows.
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  postgres::PgError error;
  error.sqlstate = state == nullptr ? "" : state;
  error.failure =
      connection_lost ? postgres::PgFailure::kUnavailable : postgres::failure_of(error.sqlstate);
  error.message = primary != nullptr ? primary : postgres::first_line(PQresultErrorMessage(result));
  if (const char* constraint = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME)) {
    error.message += fmt::format(" (constraint {})", constraint);
  }
  return error;
}

bool succeeded(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

}  // namespace

void CopyConnection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }
void CopyConnection::Clear::operator()(pg_result* result) const { PQclear(result); }

postgres::PgResult<CopyConnection> CopyConnection::open(const std::string& url,
                                                        postgres::PgPatience patience) {
  ASSIGN_OR_RETURN(auto bounded, postgres::bounded_url(url, patience.connect));
  // Bounded by connect_timeout; libpq's own way without blocking cannot give up one of several
  // addresses and continue with the next.
  CopyConnection connection(PQconnectdb(bounded.c_str()),
                            {.statement = postgres::kSessionSetUp, .cutoff = patience.cutoff});
  auto* raw = connection.connection_.get();
  if (PQstatus(raw) != CONNECTION_OK || PQsetnonblocking(raw, 1) != 0) {
    return tl::unexpected<postgres::PgError>(connection.connection_error());
  }
  auto ready = connection.execute(postgres::session_settings(patience));
  RETURN_IF_ERROR(ready);
  connection.patience_ = std::move(patience);
  return connection;
}

postgres::PgError CopyConnection::connection_error() const {
  return {postgres::PgFailure::kUnavailable, "",
          std::string(postgres::first_line(PQerrorMessage(connection_.get())))};
}

/// What is in progress cannot be taken back, so nothing else may be sent over this connection.
postgres::PgError CopyConnection::given_up() {
  gave_up_ = true;
  return {postgres::PgFailure::kUnavailable, "", "Postgres did not answer in time", true};
}

bool CopyConnection::broken() const {
  return gave_up_ || PQstatus(connection_.get()) != CONNECTION_OK;
}

/// Waits for all results of what was sent, up to where the server wants data, and hands out the
/// last, or the first that failed.
postgres::PgResult<CopyConnection::Answer> CopyConnection::finish(PgDialogue& dialogue,
                                                                  std::string* value) {
  // For a lost connection libpq hands out, at once, what had arrived and then its own words.
  if (dialogue.send() == PgWait::kGaveUp) return tl::unexpected<postgres::PgError>(given_up());
  Answer last;
  while (true) {
    if (dialogue.receive() == PgWait::kGaveUp) return tl::unexpected<postgres::PgError>(given_up());
    Answer next(PQgetResult(connection_.get()));
    if (!next) break;
    if (value != nullptr && PQntuples(next.get()) > 0) *value = PQgetvalue(next.get(), 0, 0);
    const bool copies = PQresultStatus(next.get()) == PGRES_COPY_IN;
    if (!last || succeeded(last.get())) last = std::move(next);
    if (copies) break;  // nothing else comes before the data
  }
  if (!last) return tl::unexpected<postgres::PgError>(connection_error());
  return last;
}

postgres::PgResult<CopyConnection::Answer> CopyConnection::exchange(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters) {
  if (broken()) return tl::unexpected<postgres::PgError>(connection_error());
  PgDialogue dialogue(connection_.get(), patience_);
  std::vector<const char*> values;
  for (const auto& parameter : parameters)
    values.push_back(parameter.text() ? parameter.text()->c_str() : nullptr);
  const int sent = values.empty() ? PQsendQuery(connection_.get(), sql.c_str())
                                  : PQsendQueryParams(connection_.get(), sql.c_str(),
                                                      static_cast<int>(values.size()), nullptr,
                                                      values.data(), nullptr, nullptr, 0);
  if (sent == 0) return tl::unexpected<postgres::PgError>(connection_error());
  return finish(dialogue);
}

postgres::PgResult<CopyReply> CopyConnection::execute(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters) {
  ASSIGN_OR_RETURN(auto answer, exchange(sql, parameters));
  auto* const result = answer.get();
  if (!succeeded(result)) return tl::unexpected<postgres::PgError>(error_of(result, broken()));
  return CopyReply{
      .value = PQntuples(result) > 0 && PQnfields(result) > 0 ? PQgetvalue(result, 0, 0) : "",
      .affected = std::strtoull(PQcmdTuples(result), nullptr, 10)};
}

/// Queues all of it, and its end: they leave with the next `send`, unless they are long.
PgWait CopyConnection::put(PgDialogue& dialogue, std::string_view data) {
  // libpq buffers what it is given: pieces keep that buffer small.
  constexpr std::size_t kPiece = 64 * 1024;
  while (!data.empty()) {
    const auto piece = data.substr(0, kPiece);
    data.remove_prefix(piece.size());
    if (PQputCopyData(connection_.get(), piece.data(), static_cast<int>(piece.size())) != 1)
      return PgWait::kBroken;
    if (data.empty()) break;
    if (const auto sent = dialogue.send(); sent != PgWait::kDone) return sent;
  }
  return PQputCopyEnd(connection_.get(), nullptr) == 1 ? dialogue.send() : PgWait::kBroken;
}

postgres::PgResult<void> CopyConnection::run(CopyScript& script) {
  if (broken() || PQsendQuery(connection_.get(), script.sql.c_str()) == 0)
    return tl::unexpected<postgres::PgError>(connection_error());
  auto sent = PgWait::kDone;
  for (const auto data : script.data) {
    PgDialogue dialogue(connection_.get(), patience_);
    ASSIGN_OR_RETURN(const auto asked, finish(dialogue, &script.value));
    if (PQresultStatus(asked.get()) != PGRES_COPY_IN)
      return tl::unexpected<postgres::PgError>(error_of(asked.get(), broken()));
    // The error of a COPY, if any, comes as its result; so does that of a connection lost
    // in the middle of it.
    PgDialogue sending(connection_.get(), patience_);
    sent = put(sending, data);
    if (sent == PgWait::kGaveUp) return tl::unexpected<postgres::PgError>(given_up());
    if (sent == PgWait::kBroken) break;
  }
  if (sent == PgWait::kDone && script.while_finishing) script.while_finishing();
  PgDialogue dialogue(connection_.get(), patience_);
  ASSIGN_OR_RETURN(const auto last, finish(dialogue, &script.value));
  const bool copies = PQresultStatus(last.get()) == PGRES_COPY_IN;  // what was not sent
  if (!copies && !succeeded(last.get()))
    return tl::unexpected<postgres::PgError>(error_of(last.get(), broken()));
  if (copies || sent != PgWait::kDone) return tl::unexpected<postgres::PgError>(connection_error());
  return {};
}

}  // namespace toolway::persistence::collector
