// Which of the two front ends reads a text, and whether it is text at all.
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "tools/specs/bounds.h"
#include "tools/specs/trees.h"

namespace toolway::tools::specs {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

int line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Whether the text is text at all, before any parser sees it.
bool readable(std::string_view text, Mistakes& mistakes) {
  if (text.size() > kMaxFileBytes) {
    mistakes.add(
        1, fmt::format("has {} bytes; the limit is {} MiB", text.size(), kMaxFileBytes >> 20));
    return false;
  }
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control != text.end()) {
    const auto at = static_cast<std::size_t>(control - text.begin());
    mistakes.add(
        line_of(text, at),
        fmt::format("control character U+{:04X}: in quotes, write it as \"\\u{:04x}\"",
                    static_cast<unsigned char>(*control), static_cast<unsigned char>(*control)));
    return false;
  }
  if (valid_utf8(text)) return true;
  for (std::size_t begin = 0, line = 1; begin <= text.size(); ++line) {
    const auto end = std::min(text.find('\n', begin), text.size());
    if (!valid_utf8(text.substr(begin, end - begin))) {
      mistakes.add(static_cast<int>(line), "not UTF-8");
      return false;
    }
    begin = end + 1;
  }
  return false;
}

/// YAML allows most of JSON, but not all, and yaml-cpp less; a flow mapping of YAML begins
/// with `{"` only when the author meant JSON.
bool is_json(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto brace = text.find_first_not_of(kBlank);
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const auto next = text.find_first_not_of(kBlank, brace + 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

}  // namespace

std::optional<Located> read_tree(std::string_view text, Mistakes& mistakes) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!readable(text, mistakes)) return std::nullopt;
  return is_json(text) ? json_tree(text, mistakes) : yaml_tree(text, mistakes);
}

}  // namespace toolway::tools::specs
