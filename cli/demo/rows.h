#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::cli::demo {

using Rows = std::vector<std::vector<std::string>>;

/// Runs one SELECT with one text parameter. Errors: kStoreUnavailable with Postgres's words.
Result<Rows> select_rows(const std::string& postgres_url, const std::string& sql,
                         const std::string& parameter);

}  // namespace toolway::cli::demo
