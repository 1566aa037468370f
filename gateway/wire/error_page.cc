#include "gateway/wire/documents.h"

namespace toolway::gateway::wire {

std::optional<std::string> error_page(std::string_view document, std::string_view code) {
  // A code is a word: nothing else is looked up, whatever the document contains.
  if (code.empty() ||
      code.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string_view::npos)
    return std::nullopt;
  const std::string heading = "\n### `" + std::string(code) + "`\n";
  const auto found = document.find(heading);
  if (found == std::string_view::npos) return std::nullopt;
  const auto begin = found + 1;
  auto end = begin + heading.size() - 1;
  while (end < document.size() && document.substr(end, 2) != "##") {
    const auto line_end = document.find('\n', end);
    end = line_end == std::string_view::npos ? document.size() : line_end + 1;
  }
  while (document[end - 1] == '\n') --end;
  return std::string(document.substr(begin, end - begin)) + "\n";
}

}  // namespace toolway::gateway::wire
