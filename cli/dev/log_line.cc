#include "cli/dev/log_line.h"

#include <algorithm>

#include "base/json.h"

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

/// Of an RFC 3339 time.
std::string clock_of(std::string_view time) {
  return std::string(time.substr(std::min<std::size_t>(11, time.size()), 8));
}

/// A line of `--log-format text`.
std::optional<LogLine> of_text(std::string_view line) {
  const auto time = take_word(line);
  if (!time.ends_with('Z') || time.find('T') == std::string_view::npos) return std::nullopt;
  const auto level = level_of(take_word(line));
  auto process = take_word(line);
  if (!process.ends_with(':')) return std::nullopt;
  process.remove_suffix(1);
  return LogLine{level, std::string(process), std::string(line), clock_of(time)};
}

/// A line of `--log-format json`; records of calls are not for terminals.
std::optional<LogLine> of_json(std::string_view line) {
  const auto json = parse_ordered_json(line);
  if (!json || !json->contains("message") || json->contains("event")) return std::nullopt;
  const auto text = [&json](const char* name) {
    const auto found = json->find(name);
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return LogLine{level_of(text("level")), text("process"), text("message"), clock_of(text("time"))};
}

}  // namespace

std::optional<LogLine> worth_showing(std::string_view line, std::string_view least) {
  auto shown = line.starts_with('{') ? of_json(line) : of_text(line);
  if (!shown) return std::nullopt;
  if (least == "error" && shown->level != LogLine::Level::kError) return std::nullopt;
  if (shown->level == LogLine::Level::kInfo && least != "debug" &&
      (least == "warn" || !is_news(shown->text)))
    return std::nullopt;
  return shown;
}

}  // namespace toolway::cli::dev
