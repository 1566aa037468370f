#include "persistence/postgres/pqxx_query.h"

#include <fmt/format.h>

#include <pqxx/pqxx>

#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence {
namespace {

/// How much longer than the server's own limit to wait for an answer.
constexpr std::chrono::milliseconds kOnItsWay{500};

pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql,
                 const std::vector<std::string>& parameters) {
#if PQXX_VERSION_MAJOR >= 7
  pqxx::params values;
  for (const auto& parameter : parameters) values.append(parameter);
#if PQXX_VERSION_MINOR >= 10
  return transaction.exec(sql, values);
#else
  return transaction.exec_params(sql, values);
#endif
#else
  return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(parameters));
#endif
}

/// Classes that are about the server or the moment, not about the statement.
bool about_the_server(std::string_view sqlstate) {
  const auto kind = sqlstate.substr(0, 2);
  return kind == "57" || kind == "53" || kind == "08" || kind == "58" || kind == "55" ||
         kind == "40";
}

class PqxxConnection final : public QueryConnection {
 public:
  PqxxConnection(const std::string& url, std::chrono::milliseconds statement_timeout, PgPatience patience,
                 std::shared_ptr<WaitLimit> limit)
      : patience_(std::move(patience)), limit_(std::move(limit)), connection_(url) {
    const WaitLimit::Wait wait(*limit_, connection_.sock(), patience_);
    pqxx::nontransaction session(connection_);
    session.exec(fmt::format("SET statement_timeout = {}; SET timezone = 'UTC'; "
                             "SET bytea_output = hex; SET default_transaction_read_only = on",
                             statement_timeout.count()));
  }

  std::optional<QueryError> query(const std::string& sql, const std::vector<std::string>& parameters,
                                  Rows& rows) override {
    if (!connection_.is_open()) return lost();
    const WaitLimit::Wait wait(*limit_, connection_.sock(), patience_);
    auto error = ask(sql, parameters, rows);
    if (error && wait.ended()) return QueryError{QueryFailure::kSilent, "Postgres does not answer"};
    return error;
  }

 private:
  static QueryError lost() { return {QueryFailure::kBroken, "the connection to Postgres was lost"}; }

  std::optional<QueryError> ask(const std::string& sql, const std::vector<std::string>& parameters, Rows& rows) try {
    // A single statement is a transaction of its own: no BEGIN, no COMMIT.
    pqxx::nontransaction transaction(connection_);
    const auto result = run(transaction, sql, parameters);
    rows.reserve(static_cast<std::size_t>(result.size()));
    for (const auto& row : result) {
      auto& cells = rows.emplace_back();
      cells.reserve(static_cast<std::size_t>(row.size()));
      for (const auto& field : row) {
        if (field.is_null()) {
          cells.emplace_back();
        } else {
          cells.emplace_back(std::in_place, field.c_str(), static_cast<std::size_t>(field.size()));
        }
      }
    }
    return std::nullopt;
  } catch (const pqxx::broken_connection&) {
    return lost();
  } catch (const pqxx::sql_error& error) {
    if (!connection_.is_open()) return lost();
    const auto failure = about_the_server(error.sqlstate()) ? QueryFailure::kRefused : QueryFailure::kStatement;
    return QueryError{failure, fmt::format("Postgres refused a query (SQLSTATE {})", error.sqlstate())};
  } catch (const std::exception&) {
    // What libpqxx says may quote the connection string.
    return QueryError{QueryFailure::kBroken, "a query did not get through to Postgres"};
  }

  const PgPatience patience_;
  const std::shared_ptr<WaitLimit> limit_;
  pqxx::connection connection_;
};

}  // namespace

std::unique_ptr<QueryConnection> open_query_connection(const std::string& url, std::chrono::milliseconds statement_timeout,
                                                       std::shared_ptr<WaitLimit> limit,
                                                       std::shared_ptr<PgCutoff> cutoff) try {
  auto bounded = bounded_url(url);
  if (!bounded) return nullptr;
  return std::make_unique<PqxxConnection>(*bounded, statement_timeout, PgPatience{statement_timeout + kOnItsWay, std::move(cutoff)},
                                          std::move(limit));
} catch (const std::exception&) {
  return nullptr;
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
