#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::cli::demo {

/// A call as Postgres has it.
struct CallRow {
  std::string call_id;
  std::string tool;     ///< with its namespace
  std::string outcome;  ///< `-`: none is recorded yet
  std::int64_t events = 0;
  std::string took;  ///< from submission to completion; empty: not completed
};

/// The recorded calls of a session, by age. Blocks. Errors: kStoreUnavailable with Postgres's
/// words.
Result<std::vector<CallRow>> recorded_calls(const std::string& postgres_url,
                                            const std::string& session_id);

}  // namespace toolway::cli::demo
