#pragma once

#include <memory>
#include <string>

#include "persistence/store/store_reader.h"

namespace toolway::persistence::store {

struct PostgresReaderOptions {
  std::string url;  ///< postgresql://…; never logged
  unsigned connections = 4;
  std::chrono::milliseconds statement_timeout{5000};
};

/// Connects lazily, and again after every broken connection: always succeeds.
std::unique_ptr<StoreReader> make_postgres_reader(PostgresReaderOptions options);

}  // namespace toolway::persistence::store
