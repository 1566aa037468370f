#include "cli/specs/spec_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/process/reader_options.h"
#include "tools/builtin/builtin.h"
#include "tools/loaders/repeated_names.h"
#include "tools/loaders/spec_files.h"
#include "tools/specs/offers.h"
#include "tools/specs/overlay.h"

namespace toolway::cli::specs {
namespace {

void add_mistakes(SpecTexts& texts, std::vector<toolway::Mistake> mistakes) {
  for (auto& mistake : mistakes) texts.mistakes.push_back(std::move(mistake));
}

}  // namespace

SpecTexts read_spec_texts(const std::vector<std::string>& paths,
                          const tools::executors::python::PythonOptions& python,
                          const std::string& env) {
  SpecTexts texts;
  // What native tools' specs say does not depend on the root.
  auto builtin = tools::builtin::builtin_registry({.root = "/"});
  if (!builtin) {
    texts.mistakes.push_back({"toolway", builtin.error().message, 1});
    return texts;
  }
  const auto read = process::spec_reader(**builtin, python, process::entries_for(env));
  std::vector<std::shared_ptr<const tools::loaders::SpecPart>> parts;
  std::vector<std::shared_ptr<const tools::specs::Offers>> offers;  // by part
  for (const auto& path : paths) {
    auto files = tools::loaders::list_spec_files(path);
    if (!files) {
      texts.mistakes.push_back({path, files.error().message, 1});
      continue;
    }
    for (const auto& file : *files) {
      auto text = tools::loaders::read_spec_file(file);
      if (!text) {
        texts.mistakes.push_back({file, text.error().message, 1});
        continue;
      }
      auto document = read(*text, file);
      add_mistakes(texts, std::move(document.mistakes));
      offers.push_back(std::move(document.offers));
      parts.push_back(
          tools::loaders::make_part(file, std::move(document.specs), std::move(document.overlay)));
    }
  }
  std::vector<std::shared_ptr<const tools::specs::SpecOverlay>> overlaying;  // by part
  for (const auto& part : parts) overlaying.push_back(part->overlay);
  if (const auto overlays = process::overlays_of(env, **builtin, python);
      overlays && texts.mistakes.empty()) {
    auto overlaid =
        overlays->apply(parts, tools::loaders::source_kind_name(tools::loaders::SourceKind::kFile));
    add_mistakes(texts, std::move(overlaid.mistakes));
    parts = std::move(overlaid.parts);
  }
  std::vector<tools::loaders::OfferedSpec> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part->specs.begin(), part->specs.end());
    texts.files.push_back({.file = part->origin, .specs = part->specs});
  }
  add_mistakes(texts, tools::loaders::repeated_names(all));
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (!offers[i]) continue;
    texts.files[i].prompts = offers[i]->prompts.size();
    texts.files[i].resources = offers[i]->resources.size();
  }
  for (std::size_t i = 0; i < overlaying.size(); ++i) {
    if (!overlaying[i]) continue;
    texts.files[i].overlay = overlaying[i]->env;
    texts.files[i].patches = overlaying[i]->patches.size();
  }
  return texts;
}

std::vector<toolway::Mistake> lonely_candidates(const SpecTexts& texts) {
  std::set<std::string> stable;
  for (const auto& file : texts.files) {
    for (const auto& one : file.specs) {
      if (one.rollout == 0) stable.insert(one.spec->qualified_name());
    }
  }
  std::vector<toolway::Mistake> found;
  for (const auto& file : texts.files) {
    for (const auto& one : file.specs) {
      const auto name = one.spec->qualified_name();
      // A built-in tool is the stable version of what adjusts it.
      if (one.rollout == 0 || stable.contains(name) ||
          one.spec->kind == tools::model::Kind::kNative)
        continue;
      const auto same = std::find_if(stable.begin(), stable.end(), [&](const auto& other) {
        return other.substr(other.find('.') + 1) == one.spec->name;
      });
      found.push_back(
          {one.origin,
           fmt::format("the candidate of tool '{}' has no stable version in these files{}", name,
                       same == stable.end() ? "" : " (there is '" + *same + "')"),
           one.line});
    }
  }
  return found;
}

}  // namespace toolway::cli::specs
