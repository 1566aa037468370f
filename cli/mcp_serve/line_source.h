#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace toolway::cli::mcp_serve {

struct LineHandlers {
  std::function<void(std::string)> line;
  std::function<void()> too_long;  ///< a line over kMaxLine ended, which was not kept
};

/// Reads lines of a descriptor until its end; empty ones are left out. Returns early when `wake`
/// (a WakeFd) is called. Errors: kInternal: it cannot be read.
Result<void> read_lines(int from, int wake, const LineHandlers& handlers);

/// Writes all of `line` and its end. False: nothing reads it any more.
bool write_line(int to, const std::string& line);

}  // namespace toolway::cli::mcp_serve
