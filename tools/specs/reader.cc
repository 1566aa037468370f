#include "tools/specs/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "tools/specs/bounds.h"
#include "tools/specs/entry_reader.h"
#include "tools/specs/trees.h"

namespace toolway::tools {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

int line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Whether the text is text at all, before any parser sees it.
bool readable(std::string_view text, Mistakes& mistakes) {
  if (text.size() > kMostFileBytes) {
    mistakes.add(1, fmt::format("has {} bytes; {} MiB are allowed", text.size(), kMostFileBytes >> 20));
    return false;
  }
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control != text.end()) {
    const auto at = static_cast<std::size_t>(control - text.begin());
    mistakes.add(line_of(text, at), fmt::format("control character U+{:04X}: in quotes, write it as \"\\u{:04x}\"",
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
/// with `{"` only when somebody meant JSON.
bool is_json(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto brace = text.find_first_not_of(kBlank);
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const auto next = text.find_first_not_of(kBlank, brace + 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

void refuse_second_of_a_name(const std::vector<NamedAt>& names, Mistakes& mistakes) {
  std::map<std::string_view, int> seen;
  for (const auto& [name, line] : names) {
    if (const auto [first, is_new] = seen.emplace(name, line); !is_new) {
      mistakes.add(line, fmt::format("tool '{}' is there already, at line {}", name, first->second));
    }
  }
}

void read_document(const Located& top, const ReaderOptions& options, Mistakes& mistakes, SpecDocument& document) {
  if (top.shape == Located::Shape::kScalar && top.scalar.is_null()) return;
  if (!top.is_map()) return mistakes.add(top.line, "the file must be a mapping: `tools:` with a list of specs, or one spec");
  EntryReader reader(options, mistakes);
  const auto read = [&](const Located& entry, int line) {
    if (auto spec = reader.read(entry, line)) document.specs.push_back(*std::move(spec));
  };
  if (find(top, "tools") == nullptr && find(top, "name") != nullptr) {
    read(top, top.line);
  } else {
    Fields fields(top, "the file", mistakes);
    const auto* tools = fields.find("tools");
    fields.nothing_else();
    if (tools != nullptr && !tools->value->is_list()) mistakes.add(tools->line, "`tools` must be a list");
    if (tools != nullptr && tools->value->is_list()) {
      for (const auto& item : tools->value->members) read(item.value, item.line);
    }
  }
  refuse_second_of_a_name(reader.names(), mistakes);
}

}  // namespace

SpecDocument read_specs(std::string_view text, std::string_view origin, const ReaderOptions& options) {
  SpecDocument document;
  Mistakes mistakes(origin);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (readable(text, mistakes)) {
    const auto tree = is_json(text) ? json_tree(text, mistakes) : yaml_tree(text, mistakes);
    if (tree) read_document(*tree, options, mistakes, document);
  }
  document.mistakes = std::move(mistakes).take();
  return document;
}

}  // namespace toolway::tools
