#include "cli/talk/import_file.h"

#include <fmt/format.h>

#include "base/os/file_io.h"
#include "base/text.h"
#include "cli/talk/shown_text.h"

namespace toolway::cli::talk {

Result<tools::exports::Format> asked_export(std::string_view words) {
  using tools::exports::Format;
  words = trimmed(words);
  if (words.empty()) return Format::kToolway;
  const auto format = tools::exports::parse_format(words);
  if (format && *format != Format::kMcp) return *format;
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("'{}' is not one of toolway, openai, openai-responses, anthropic",
                          ShownText().next(words)));
}

AskedImport asked_import(std::string_view words) {
  words = trimmed(words);
  const auto blank = words.rfind(' ');
  if (blank != std::string_view::npos)
    if (const auto format = tools::exports::parse_format(words.substr(blank + 1)))
      return {std::string(trimmed(words.substr(0, blank))), *format};
  return {std::string(words)};
}

Result<std::string> read_import(const AskedImport& asked) {
  if (asked.path.empty())
    return fail(ErrorCode::kInvalidRequest, "name a file: /import FILE [FORMAT]");
  auto text = os::read_file(asked.path);
  if (text) return text;
  return fail(text.error().code, fmt::format("{}: {}", asked.path, text.error().message));
}

}  // namespace toolway::cli::talk
