#include "cli/specs/spec_texts.h"

#include <fmt/format.h>

#include <map>

#include "cli/specs/reader_options.h"
#include "tools/builtin/builtin.h"
#include "tools/loaders/spec_files.h"

namespace toolway::cli {
namespace {

void add_mistakes(SpecTexts& texts, std::vector<tools::Mistake> mistakes) {
  for (auto& mistake : mistakes) texts.mistakes.push_back(std::move(mistake));
}

}  // namespace

SpecTexts read_spec_texts(const std::vector<std::string>& paths, const tools::PythonOptions& python) {
  SpecTexts texts;
  // What native tools' specs say does not depend on the root.
  auto builtin = tools::builtin_registry({.root = "/", .specs = {}});
  if (!builtin) {
    texts.mistakes.push_back({"toolway", 1, builtin.error().message});
    return texts;
  }
  const auto read = spec_reader(**builtin, python);
  std::map<std::string, std::string> first_at;
  for (const auto& path : paths) {
    auto files = tools::list_spec_files(path);
    if (!files) {
      texts.mistakes.push_back({path, 1, files.error().message});
      continue;
    }
    for (const auto& file : *files) {
      auto text = tools::read_spec_file(file);
      if (!text) {
        texts.mistakes.push_back({file.string(), 1, text.error().message});
        continue;
      }
      auto document = read(*text, file.string());
      add_mistakes(texts, std::move(document.mistakes));
      for (const auto& [spec, line, enabled] : document.specs) {
        const auto [first, is_new] = first_at.emplace(spec.qualified_name(), fmt::format("{}:{}", file.string(), line));
        if (is_new) continue;
        texts.mistakes.push_back({file.string(), line, fmt::format("tool '{}' is there already, at {}",
                                                                   spec.qualified_name(), first->second)});
      }
      texts.files.push_back({file.string(), std::move(document.specs)});
    }
  }
  return texts;
}

}  // namespace toolway::cli
