#include "tools/specs/reader.h"

#include <fmt/format.h>

#include <map>

#include "tools/specs/entry_reader.h"
#include "tools/specs/trees.h"

namespace toolway::tools {
namespace {

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
  if (const auto tree = read_tree(text, mistakes)) read_document(*tree, options, mistakes, document);
  document.mistakes = std::move(mistakes).take();
  return document;
}

}  // namespace toolway::tools
