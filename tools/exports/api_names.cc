#include "tools/exports/api_names.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/json.h"
#include "base/nearest_names.h"
#include "base/sha256.h"
#include "tools/model/registry.h"

namespace toolway::tools::exports {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::string_view kSeam = "__";
constexpr std::string_view kHashSeam = "___";
constexpr std::size_t kHashStep = 12;

bool holds_seam(std::string_view text) { return text.find(kSeam) != std::string_view::npos; }

/// Whether `namespace__name` fits, and can be split in this one way.
bool is_plain(std::string_view ns, std::string_view name) {
  if (holds_seam(name)) return false;
  if (ns == kDefault) return name.size() <= ApiNames::kMaxLength;
  return !holds_seam(ns) && !ns.ends_with('_') && !name.starts_with('_') &&
         ns.size() + kSeam.size() + name.size() <= ApiNames::kMaxLength;
}

std::string joined(std::string_view ns, std::string_view name) {
  if (ns == kDefault) return std::string(name);
  return fmt::format("{}{}{}", ns, kSeam, name);
}

/// What a model sent, fit for a message.
std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 130;
  const auto dot = text.find('.');
  const bool qualified = dot != std::string_view::npos && valid_name(text.substr(0, dot)) &&
                         valid_name(text.substr(dot + 1));
  return qualified || valid_name(text) ? std::string(text)
                                       : to_text(Json(text.substr(0, kMaxShown)));
}

}  // namespace

std::string ApiNames::sha256_of(std::string_view text) { return sha256_hex(text); }

ApiNames::ApiNames(std::span<const model::RegisteredTool* const> tools, const Hash& hash) {
  entries_.reserve(tools.size());
  for (const auto* tool : tools) add(tool->spec().ns, tool->spec().name, hash);
}

ApiNames::ApiNames(const std::vector<std::string>& qualified, const Hash& hash) {
  for (const std::string& text : qualified) {
    const auto dot = text.find('.');
    add(std::string_view(text).substr(0, dot), std::string_view(text).substr(dot + 1), hash);
  }
}

void ApiNames::add(std::string_view ns, std::string_view name, const Hash& hash) {
  std::string qualified = fmt::format("{}.{}", ns, name);
  if (by_qualified_.contains(qualified)) return;
  std::string api = joined(ns, name);
  if (!is_plain(ns, name)) {
    const std::string whole = api;
    const std::string digits = hash(qualified);
    std::size_t length = kHashStep;
    do {
      const std::size_t kept = kMaxLength - kHashSeam.size() - length;
      api = fmt::format("{}{}{}", whole.substr(0, kept), kHashSeam, digits.substr(0, length));
      length += kHashStep;
    } while (by_api_.contains(api) && length <= kMaxLength - kHashSeam.size());
  }
  const std::size_t at = entries_.size();
  by_api_.emplace(api, at);
  by_qualified_.emplace(qualified, at);
  by_bare_[std::string(name)].push_back(at);
  entries_.push_back({std::move(qualified), std::move(api)});
}

const std::string& ApiNames::of(const model::Spec& spec) const {
  const auto found = by_qualified_.find(spec.qualified_name());
  return found == by_qualified_.end() ? spec.name : entries_[found->second].api;
}

std::vector<std::string> ApiNames::nearest(std::string_view text) const {
  // A model may get a hundred names wrong at once, and each is compared with all of these.
  constexpr std::size_t kMaxCompared = 1000;
  if (entries_.size() > kMaxCompared) return {};
  const bool dotted = text.find('.') != std::string_view::npos;
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) names.push_back(dotted ? entry.qualified : entry.api);
  return nearest_names(text, names);
}

Result<std::string> ApiNames::resolve(std::string_view text) const {
  const std::string key(text);
  if (const auto found = by_api_.find(key); found != by_api_.end()) {
    return entries_[found->second].qualified;
  }
  if (const auto found = by_qualified_.find(key); found != by_qualified_.end()) {
    return entries_[found->second].qualified;
  }
  if (const auto found = by_bare_.find(key); found != by_bare_.end()) {
    if (found->second.size() == 1) return entries_[found->second.front()].qualified;
    std::vector<std::string> choices;
    for (const std::size_t at : found->second) choices.push_back(entries_[at].api);
    return fail(ErrorCode::kAmbiguousTool, fmt::format("several tools are called {}: say {}",
                                                       shown(text), quoted_choices(choices)));
  }
  const auto near = nearest(text);
  return fail(ErrorCode::kUnknownTool, near.empty()
                                           ? fmt::format("unknown tool {}", shown(text))
                                           : fmt::format("unknown tool {}; did you mean {}?",
                                                         shown(text), quoted_choices(near)));
}

}  // namespace toolway::tools::exports
