#include "tools/loaders/load_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <span>

namespace toolway::tools::loaders {

std::string a_few(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 5;
  if (names.size() <= kMaxNamed) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(std::span(names).first(kMaxNamed), ", "),
                     names.size() - kMaxNamed);
}

void LoadLog::source(const SpecSource& source, const SourceState& now, const SourceState* before) {
  const auto kind = source_kind_name(source.kind());
  for (const auto& mistake : now.found)
    spdlog::error("specs of source {}: {}", kind, mistake.text());
  if (!now.found.empty()) {
    spdlog::error(
        "specs of source {}: the last good version of each part with mistakes stays in force ({} found)",
        kind, now.found.size());
  }
  if (before != nullptr && !before->mistakes.empty() && now.mistakes.empty()) {
    spdlog::info("specs of source {}: no more mistakes", kind);
  }
  const auto place =
      source.name() == kind ? source.name() : fmt::format("{} ({})", kind, source.name());
  const bool was_away = before != nullptr && !before->away.empty();
  if (!now.away.empty() && !was_away) {
    spdlog::error("specs of source {} cannot be read: {}; {}, and it will be asked again", place,
                  now.away,
                  now.parts.empty() ? "it has given no specs so far"
                                    : "its last good version stays in force");
  }
  if (now.away.empty() && was_away) spdlog::info("specs of source {} can be read again", place);
}

std::vector<MergedMistake> LoadLog::merged(const MergedSpecs& merged) {
  std::set<std::string> said;
  std::vector<MergedMistake> fresh;
  for (const auto& mistake : merged.mistakes) {
    auto text = mistake.mistake.text();
    if (!said_.contains(text)) {
      spdlog::error("specs of source {}: {}", source_kind_name(mistake.source), text);
      fresh.push_back(mistake);
    }
    said.insert(std::move(text));
  }
  for (const auto& text : merged.shadowed) {
    if (!said_.contains(text)) spdlog::warn("specs: {}", text);
    said.insert(text);
  }
  said_ = std::move(said);
  return fresh;
}

void LoadLog::changes(const SpecChanges& changes, const model::Registry& now) {
  if (changes.none()) return;
  std::string text;
  const auto say = [&text](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("{} {}: {}; ", names.size(), what, a_few(names));
  };
  say("added", changes.added);
  say("changed", changes.changed);
  say("removed", changes.removed);
  const auto offered =
      std::ranges::count_if(now.list(), [](const auto* tool) { return !tool->for_benchmarks; });
  spdlog::info("specs: {}{} tools are offered now", text, offered);
}

}  // namespace toolway::tools::loaders
