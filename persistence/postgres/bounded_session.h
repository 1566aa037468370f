#pragma once

#include <chrono>
#include <string>

#include "persistence/postgres/pg_error.h"
#include "persistence/postgres/pg_patience.h"

/// The limits that every connection has, of either library.
namespace toolway::persistence::postgres {

/// How long the statements sent once after connecting may take.
inline constexpr std::chrono::milliseconds kSessionSetUp{2000};

/// `url` with limits on how long connecting and a dead network may take, which
/// libpq leaves open. Fails when libpq cannot read it, without quoting it.
PgResult<std::string> bounded_url(const std::string& url,
                                  std::chrono::seconds connect = PgPatience().connect);

/// Statements that have Postgres end what its client gives up: after the same time, or within 2 s
/// once the client is gone. They also set the forms of values that we read.
std::string session_settings(const PgPatience& patience);

}  // namespace toolway::persistence::postgres
