#include "tools/specs/reader.h"

#include <fmt/format.h>

#include <map>

#include "tools/specs/entry_reader.h"
#include "tools/specs/offers.h"
#include "tools/specs/overlay.h"
#include "tools/specs/places.h"
#include "tools/specs/trees.h"

namespace toolway::tools::specs {
namespace {

void refuse_second_of_a_name(const std::vector<NamedAt>& names, Mistakes& mistakes) {
  std::map<std::pair<std::string_view, bool>, int> seen;
  for (const auto& [name, line, candidate] : names) {
    if (const auto [first, is_new] =
            seen.emplace(std::pair(std::string_view(name), candidate), line);
        !is_new) {
      mistakes.add(line, fmt::format("tool '{}' already {}, at line {}", name,
                                     candidate ? "has a candidate" : "exists", first->second));
    }
  }
}

void read_document(const Located& top, const ReaderOptions& options, Mistakes& mistakes,
                   SpecDocument& document) {
  if (top.shape == Located::Shape::kScalar && top.scalar.is_null()) return;
  if (!top.is_map())
    return mistakes.add(top.line,
                        "the file must be a mapping: `tools:` with a list of specs, or one spec");
  if (find(top, "overlay") != nullptr) {
    document.overlay = std::make_shared<const SpecOverlay>(
        read_overlay(top, std::string(mistakes.origin()), mistakes));
    return;
  }
  EntryReader reader(options, mistakes);
  const auto read = [&](const Located& entry, int line) {
    if (auto spec = reader.read(entry, line)) document.specs.push_back(*std::move(spec));
  };
  if (find(top, "tools") == nullptr && find(top, "name") != nullptr) {
    read(top, top.line);
  } else {
    Fields fields(top, "the file", mistakes);
    const auto* tools = fields.find("tools");
    const auto* prompts = fields.value("prompts");
    const auto* resources = fields.value("resources");
    fields.nothing_else();
    if (prompts != nullptr || resources != nullptr) {
      auto read_besides = read_offers(prompts, resources, options.content, mistakes);
      document.offers = std::make_shared<const Offers>(std::move(read_besides.offers));
      document.files = std::move(read_besides.files);
    }
    if (tools != nullptr && !tools->value->is_list())
      mistakes.add(tools->line, "`tools` must be a list");
    if (tools != nullptr && tools->value->is_list()) {
      for (const auto& item : tools->value->members) read(item.value, item.line);
    }
  }
  refuse_second_of_a_name(reader.names(), mistakes);
}

}  // namespace

SpecDocument read_spec_entry(const Located& entry, const Places& places,
                             const ReaderOptions& options) {
  SpecDocument document;
  Mistakes mistakes("");
  if (auto spec = EntryReader(options, mistakes).read(entry, entry.line))
    document.specs.push_back(*std::move(spec));
  document.mistakes = std::move(mistakes).take();
  for (auto& mistake : document.mistakes) {
    const auto& place = places.at(mistake.line);
    mistake.place = place.origin;
    mistake.line = place.line;
  }
  return document;
}

SpecDocument read_specs(std::string_view text, std::string_view origin,
                        const ReaderOptions& options) {
  SpecDocument document;
  Mistakes mistakes(origin);
  if (const auto tree = read_tree(text, mistakes))
    read_document(*tree, options, mistakes, document);
  document.mistakes = std::move(mistakes).take();
  return document;
}

}  // namespace toolway::tools::specs
