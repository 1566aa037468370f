#include "gateway/calls/tool_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_names.h"
#include "gateway/catalogue/tool_set.h"
#include "tools/model/all_namespaces.h"

namespace toolway::gateway::calls {
namespace {

constexpr std::size_t kMaxNamed = 10;
/// Names are compared on the loop: at most this many with this many.
constexpr std::size_t kMaxGuesses = 3;
constexpr std::size_t kMaxComparedNames = 200;

/// `a, b and c`; of very many the first ten.
std::string sentence_of(std::span<const std::string> names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kMaxNamed);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + names[i];
  }
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

/// Sorted, each once.
std::vector<std::string> namespaces_of(const tools::model::Registry& registry,
                                       const extensions::GrantsPtr& grants) {
  std::vector<std::string> found;
  for (const auto* tool : registry.list()) {
    if (!extensions::may_call(grants, tool->spec())) continue;
    if (found.empty() || found.back() != tool->spec().ns) found.push_back(tool->spec().ns);
  }
  return found;
}

}  // namespace

std::vector<std::string> namespace_warnings(const tools::model::Registry& registry,
                                            std::span<const std::string> namespaces,
                                            const extensions::GrantsPtr& grants) {
  if (registry.size() == 0) return {"the session has no tools: the fleet has none so far"};
  if (tools::model::are_all(namespaces)) return {};
  std::vector<std::string> empty;
  for (const auto& ns : namespaces) {
    if (catalogue::tools_of(registry, std::span(&ns, 1), grants).empty()) empty.push_back(ns);
  }
  if (empty.empty()) return {};
  const auto there = namespaces_of(registry, grants);
  std::vector<std::string> meant;
  if (there.size() <= kMaxComparedNames) {
    for (const auto& ns : std::span(empty).first(std::min(empty.size(), kMaxGuesses))) {
      for (auto& near : nearest_names(ns, there, 1)) meant.push_back(std::move(near));
    }
  }
  const bool none = empty.size() == namespaces.size();
  return {fmt::format(
      "{}no tool is in namespace{} {}{}; the fleet has tools in {}; \"*\" stands for every namespace",
      none ? "the session has no tools: " : "", empty.size() == 1 ? "" : "s", sentence_of(empty),
      meant.empty() ? "" : fmt::format(" (did you mean {}?)", quoted_choices(meant)),
      sentence_of(there))};
}

std::optional<std::string> offered_elsewhere(const CallContext& context, std::string_view asked) {
  std::vector<std::string> found;
  std::string ns;
  const auto take = [&](const tools::model::Spec& spec) {
    if (context.switches.off(spec.ns, spec.name) != nullptr) return;
    if (!extensions::may_call(context.grants, spec)) return;
    if (found.empty()) ns = spec.ns;
    found.push_back(spec.qualified_name());
  };
  if (const auto dot = asked.find('.'); dot != std::string_view::npos) {
    if (const auto tool = context.registry.find(asked.substr(0, dot), asked.substr(dot + 1)))
      take(tool->spec());
  } else {
    for (const auto* tool : context.registry.list()) {
      if (tool->spec().name == asked) take(tool->spec());
    }
  }
  if (found.empty() || tools::model::are_all(context.namespaces)) return std::nullopt;
  return fmt::format(
      "unknown tool {}: the fleet has {}, but this session sees only {}; add namespace {} to it, "
      "or open one with \"*\" for every namespace",
      asked, sentence_of(found), sentence_of(context.namespaces), ns);
}

}  // namespace toolway::gateway::calls
