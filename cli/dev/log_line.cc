#include "cli/dev/log_line.h"

#include <algorithm>

namespace toolway::cli::dev {
namespace {

/// Takes the next word off `text`.
std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

bool is_news(std::string_view text) {
  return text.starts_with("specs") || text.starts_with("MCP server ");
}

LogLine::Level level_of(std::string_view word) {
  if (word == "warning") return LogLine::Level::kWarning;
  return word == "error" || word == "critical" ? LogLine::Level::kError : LogLine::Level::kInfo;
}

}  // namespace

std::optional<LogLine> worth_showing(std::string_view line, std::string_view least) {
  const auto time = take_word(line);
  if (!time.ends_with('Z') || time.find('T') == std::string_view::npos) return std::nullopt;
  const auto level = level_of(take_word(line));
  auto process = take_word(line);
  if (!process.ends_with(':')) return std::nullopt;
  process.remove_suffix(1);
  if (least == "error" && level != LogLine::Level::kError) return std::nullopt;
  if (level == LogLine::Level::kInfo && least != "debug" && (least == "warn" || !is_news(line)))
    return std::nullopt;
  return LogLine{level, std::string(process), std::string(line)};
}

}  // namespace toolway::cli::dev
