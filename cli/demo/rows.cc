#include "cli/demo/rows.h"

#include <libpq-fe.h>

#include <memory>

namespace toolway::cli::demo {

Result<Rows> select_rows(const std::string& postgres_url, const std::string& sql,
                         const std::string& parameter) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(postgres_url.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK)
    return fail(ErrorCode::kStoreUnavailable, PQerrorMessage(connection.get()));
  const char* values[] = {parameter.c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection.get(), sql.c_str(), 1, nullptr, values, nullptr, nullptr, 0),
      &PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
    return fail(ErrorCode::kStoreUnavailable, PQerrorMessage(connection.get()));
  Rows rows;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    rows.emplace_back();
    for (int column = 0; column < PQnfields(result.get()); ++column)
      rows.back().emplace_back(PQgetvalue(result.get(), row, column));
  }
  return rows;
}

}  // namespace toolway::cli::demo
