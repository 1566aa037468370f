#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolway::cli::dev {

/// A line of a process' log that its owner wants to see at once.
struct LogLine {
  enum class Level { kInfo, kWarning, kError };
  Level level = Level::kInfo;
  std::string process;
  std::string text;
  std::string clock;  ///< `07:31:26`, UTC
};

/// Of a line in either format, such as `2026-11-22T07:31:26.205Z info    gateway: specs: 1 added:
/// …` what a terminal shows: every warning and error; of the rest, specs that changed and what MCP
/// servers do. With `least` (debug, info, warn or error) less, or with debug every line. Pure.
std::optional<LogLine> worth_showing(std::string_view line, std::string_view least);

}  // namespace toolway::cli::dev
