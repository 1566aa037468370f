#include "persistence/postgres/bounded_session.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace toolway::persistence::postgres {

PgResult<std::string> bounded_url(const std::string& url, std::chrono::seconds connect) {
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (!parsed) {
    return tl::unexpected<PgError>({PgFailure::kUnavailable, "",
                                    "the Postgres URL cannot be read; it has the form "
                                    "postgresql://user:password@host:port/database"});
  }
  const auto seconds = std::to_string(connect.count());
  const std::array<std::pair<std::string_view, std::string_view>, 6> bounds{{
      {"connect_timeout", seconds},
      {"tcp_user_timeout", "10000"},
      {"keepalives_idle", "5"},
      {"keepalives_interval", "2"},
      {"keepalives_count", "3"},
      {"fallback_application_name", "toolway"},
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

std::string session_settings(const PgPatience& patience) {
  // A process that died leaves nothing running: a backend holds its locks for as long as it works,
  // the reaper's included. No notices: both libraries would write them to stderr. What is planned
  // once is planned for all parameters: those that fit one of them best would be planned each time.
  // Such a plan does not know how few rows it will read, so that Postgres, which compiles (JIT)
  // what looks expensive, would take several hundred milliseconds to compile what takes ten.
  return fmt::format(
      "SET client_min_messages = error; SET timezone = 'UTC'; SET bytea_output = hex; "
      "SET plan_cache_mode = force_generic_plan; SET jit = off; "
      "SET statement_timeout = {}; SET client_connection_check_interval = '2s'",
      patience.statement.count());
}

}  // namespace toolway::persistence::postgres
