#include "persistence/pg_query.h"

#include <fmt/format.h>

#include "persistence/pg_connection.h"

namespace toolway::persistence {
namespace {

/// How much longer than the server's own limit an answer is waited for.
constexpr std::chrono::milliseconds kOnItsWay{500};

/// Classes that are about the server or the moment, not about the statement.
bool about_the_server(std::string_view sqlstate) {
  const auto kind = sqlstate.substr(0, 2);
  return kind == "57" || kind == "53" || kind == "08" || kind == "58" || kind == "55" ||
         kind == "40";
}

class ReadingConnection final : public QueryConnection {
 public:
  explicit ReadingConnection(PgConnection connection) : connection_(std::move(connection)) {}

  std::optional<QueryError> query(const std::string& sql,
                                  const std::vector<std::string>& parameters,
                                  Rows& rows) override {
    // A single statement is a transaction of its own: no BEGIN, no COMMIT.
    auto answer = connection_.select(sql, parameters);
    if (answer) {
      rows = std::move(*answer);
      return std::nullopt;
    }
    const auto& error = answer.error();
    if (error.gave_up) return QueryError{QueryFailure::kSilent, "Postgres does not answer"};
    if (connection_.broken()) return QueryError{QueryFailure::kBroken, "the connection to Postgres is lost"};
    const auto failure = about_the_server(error.sqlstate) ? QueryFailure::kRefused : QueryFailure::kStatement;
    return QueryError{failure, fmt::format("Postgres refused a query (SQLSTATE {})", error.sqlstate)};
  }

 private:
  PgConnection connection_;
};

}  // namespace

std::unique_ptr<QueryConnection> open_query_connection(const std::string& url, std::chrono::milliseconds statement_timeout,
                                                       std::shared_ptr<PgCutoff> cutoff) {
  auto connection = PgConnection::open(url, {statement_timeout + kOnItsWay, std::move(cutoff)});
  if (!connection) return nullptr;
  auto set = connection->execute(fmt::format("SET statement_timeout = {}; SET bytea_output = hex; "
                                             "SET default_transaction_read_only = on", statement_timeout.count()));
  if (!set) return nullptr;
  return std::make_unique<ReadingConnection>(std::move(*connection));
}

std::string bytes_of_bytea(std::string_view text) {
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string bytes;
  if (text.size() < 2) return bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(value(text[i]) << 4 | value(text[i + 1])));
  }
  return bytes;
}

}  // namespace toolway::persistence
