#include "local/postgres_client.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>

namespace toolway::local {
namespace {

std::string bounded(const std::string& url) { return url + "?connect_timeout=5"; }

}  // namespace

bool connects(const std::string& url) try {
  return pqxx::connection(bounded(url)).is_open();
} catch (const std::exception&) {
  return false;
}

// libpqxx has no such question, and of a refused connection it has only words.
bool is_starting(const std::string& url) { return PQping(bounded(url).c_str()) == PQPING_REJECT; }

Result<void> create_database(const std::string& url, const std::string& name) try {
  pqxx::connection connection(bounded(url));
  pqxx::nontransaction(connection).exec("CREATE DATABASE " + connection.quote_name(name));
  return {};
} catch (const std::exception& error) {
  return fail(ErrorCode::kInternal,
              fmt::format("cannot create the database {}: {}", name, error.what()));
}

}  // namespace toolway::local
