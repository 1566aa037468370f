#include "persistence/postgres/pg_connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace toolway::persistence {
namespace {

/// For the statements sent once after connecting.
constexpr std::chrono::milliseconds kSetUp{2000};

std::string first_line(const char* text) {
  std::string_view view = text == nullptr ? "" : text;
  return std::string(view.substr(0, view.find('\n')));
}

PgError error_of(const PGresult* result, bool connection_lost) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  // Only the primary message: detail and context may quote rows.
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  PgError error;
  error.sqlstate = state == nullptr ? "" : state;
  error.failure = connection_lost ? PgFailure::kUnavailable : failure_of(error.sqlstate);
  error.message = primary == nullptr ? first_line(PQresultErrorMessage(result)) : primary;
  if (const char* constraint = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME)) {
    error.message += fmt::format(" (constraint {})", constraint);
  }
  return error;
}

PgReply reply_of(const PGresult* result) {
  PgReply reply;
  const int rows = PQntuples(result);
  const int columns = PQnfields(result);
  reply.rows.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    auto& cells = reply.rows.emplace_back();
    for (int column = 0; column < columns; ++column) {
      cells.emplace_back(PQgetvalue(result, row, column),
                         static_cast<std::size_t>(PQgetlength(result, row, column)));
    }
  }
  reply.affected = std::strtoull(PQcmdTuples(const_cast<PGresult*>(result)), nullptr, 10);
  return reply;
}

bool succeeded(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

void drop_notice(void*, const PGresult*) {}

}  // namespace

PgFailure failure_of(std::string_view sqlstate) {
  if (sqlstate == "40P01" || sqlstate == "40001" || sqlstate == "55P03") {
    return PgFailure::kContention;
  }
  const auto kind = sqlstate.substr(0, 2);
  // Data exceptions, violated constraints, and rows beyond a limit of Postgres.
  if (kind == "22" || kind == "23" || kind == "54") return PgFailure::kData;
  return PgFailure::kUnavailable;
}

void PgConnection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }
void PgConnection::Clear::operator()(pg_result* result) const { PQclear(result); }

PgResult<std::string> bounded_url(const std::string& url, std::chrono::seconds connect) {
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (!parsed) {
    return tl::unexpected<PgError>({PgFailure::kUnavailable, "",
                           "the Postgres URL cannot be read; it has the form "
                           "postgresql://user:password@host:port/database"});
  }
  const auto seconds = std::to_string(connect.count());
  const std::array<std::pair<std::string_view, std::string_view>, 5> bounds{{
      {"connect_timeout", seconds},
      {"tcp_user_timeout", "10000"},
      {"keepalives_idle", "5"},
      {"keepalives_interval", "2"},
      {"keepalives_count", "3"},
  }};
  const bool is_uri = url.rfind("postgresql://", 0) == 0 || url.rfind("postgres://", 0) == 0;
  std::string bounded = url;
  bool has_query = url.find('?') != std::string::npos;
  for (const auto& [name, value] : bounds) {
    const PQconninfoOption* option = parsed.get();
    while (option->keyword != nullptr && name != option->keyword) ++option;
    if (option->keyword == nullptr || option->val != nullptr) continue;
    bounded += is_uri ? (has_query ? "&" : "?") : " ";
    bounded += fmt::format("{}={}", name, value);
    has_query = true;
  }
  return bounded;
}

PgResult<PgConnection> PgConnection::open(const std::string& url, PgPatience patience) {
  auto bounded = bounded_url(url, patience.connect);
  if (!bounded) return tl::unexpected<PgError>(bounded.error());
  // Bounded by connect_timeout; libpq's own way without blocking cannot give up one of several
  // addresses and continue with the next.
  PgConnection connection(PQconnectdb(bounded->c_str()), {kSetUp, patience.cutoff});
  auto* raw = connection.connection_.get();
  if (PQstatus(raw) != CONNECTION_OK || PQsetnonblocking(raw, 1) != 0) {
    return tl::unexpected<PgError>(connection.connection_error());
  }
  PQsetNoticeReceiver(raw, drop_notice, nullptr);
  // What is given up here ends on the server, too, and a process that died leaves nothing running: a backend holds its locks
  // for as long as it works, the reaper's included.
  auto ready = connection.execute(
      fmt::format("SET client_min_messages = warning; SET timezone = 'UTC'; SET statement_timeout = {}; "
                  "SET client_connection_check_interval = '2s'",
                  patience.statement.count()));
  if (!ready) return tl::unexpected<PgError>(ready.error());
  connection.patience_ = std::move(patience);
  return connection;
}

PgError PgConnection::connection_error() const {
  return {PgFailure::kUnavailable, "", first_line(PQerrorMessage(connection_.get()))};
}

/// What is in progress cannot be taken back, so nothing else may be sent over this connection.
PgError PgConnection::given_up() {
  gave_up_ = true;
  return {PgFailure::kUnavailable, "", "Postgres did not answer in time", true};
}

bool PgConnection::broken() const { return gave_up_ || PQstatus(connection_.get()) != CONNECTION_OK; }

/// Waits for all results of what was sent, and hands out the last, or the first that failed.
PgResult<PgConnection::Answer> PgConnection::finish(PgDialogue& dialogue) {
  // For a lost connection libpq hands out, at once, what had arrived and then its own words.
  if (dialogue.send() == PgWait::kGaveUp) return tl::unexpected<PgError>(given_up());
  Answer last;
  while (true) {
    if (dialogue.receive() == PgWait::kGaveUp) return tl::unexpected<PgError>(given_up());
    Answer next(PQgetResult(connection_.get()));
    if (!next) break;
    const bool copies = PQresultStatus(next.get()) == PGRES_COPY_IN;
    if (!last || succeeded(last.get())) last = std::move(next);
    if (copies) break;  // nothing else comes before the data
  }
  if (!last) return tl::unexpected<PgError>(connection_error());
  return last;
}

PgResult<PgConnection::Answer> PgConnection::exchange(const std::string& sql) {
  if (broken()) return tl::unexpected<PgError>(connection_error());
  PgDialogue dialogue(connection_.get(), patience_);
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) return tl::unexpected<PgError>(connection_error());
  return finish(dialogue);
}

PgResult<PgConnection::Answer> PgConnection::exchange(const std::string& sql, const std::vector<const char*>& values) {
  if (broken()) return tl::unexpected<PgError>(connection_error());
  PgDialogue dialogue(connection_.get(), patience_);
  if (PQsendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                        nullptr, nullptr, 0) == 0) {
    return tl::unexpected<PgError>(connection_error());
  }
  return finish(dialogue);
}

PgResult<PgReply> PgConnection::execute(const std::string& sql) {
  auto answer = exchange(sql);
  if (!answer) return tl::unexpected<PgError>(std::move(answer.error()));
  if (!succeeded(answer->get())) return tl::unexpected<PgError>(error_of(answer->get(), broken()));
  return reply_of(answer->get());
}

PgResult<PgReply> PgConnection::execute(
    const std::string& sql, const std::vector<std::optional<std::string>>& parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& parameter : parameters) {
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  auto answer = exchange(sql, values);
  if (!answer) return tl::unexpected<PgError>(std::move(answer.error()));
  if (!succeeded(answer->get())) return tl::unexpected<PgError>(error_of(answer->get(), broken()));
  return reply_of(answer->get());
}

PgResult<std::uint64_t> PgConnection::copy_in(const std::string& sql, std::string_view data) {
  pg_conn* connection = connection_.get();
  auto begun = exchange(sql);
  if (!begun) return tl::unexpected<PgError>(std::move(begun.error()));
  if (PQresultStatus(begun->get()) != PGRES_COPY_IN) {
    return tl::unexpected<PgError>(error_of(begun->get(), broken()));
  }
  PgDialogue dialogue(connection, patience_);
  // libpq buffers what it is given: pieces keep that buffer small.
  constexpr std::size_t kPiece = 64 * 1024;
  bool sent = true;
  for (std::size_t at = 0; sent && at < data.size(); at += kPiece) {
    const auto piece = data.substr(at, kPiece);
    sent = PQputCopyData(connection, piece.data(), static_cast<int>(piece.size())) == 1;
    const auto handed_on = sent ? dialogue.send() : PgWait::kBroken;
    if (handed_on == PgWait::kGaveUp) return tl::unexpected<PgError>(given_up());
    sent = handed_on == PgWait::kDone;
  }
  if (sent) sent = PQputCopyEnd(connection, nullptr) == 1;
  // The error of the COPY, if any, comes as its result; so does that of a connection lost
  // in the middle of it.
  auto answer = finish(dialogue);
  if (!answer) return tl::unexpected<PgError>(std::move(answer.error()));
  if (PQresultStatus(answer->get()) == PGRES_COPY_IN) return tl::unexpected<PgError>(connection_error());
  if (!succeeded(answer->get())) return tl::unexpected<PgError>(error_of(answer->get(), broken()));
  if (!sent) return tl::unexpected<PgError>(connection_error());
  return std::strtoull(PQcmdTuples(answer->get()), nullptr, 10);
}

std::string bytea_text(std::string_view bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

}  // namespace toolway::persistence
