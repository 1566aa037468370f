#include "gateway/tools_view.h"

#include <algorithm>

#include "gateway/json_text.h"
#include "tools/all_namespaces.h"
#include "tools/exports/definitions.h"
#include "tools/rollout.h"
#include "tools/sha256.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostSeen = 256;

OrderedJson disabled(const proto::Switch& off) {
  return {{"reason", off.reason}, {"by", off.by}, {"at", off.at}};
}

OrderedJson candidate(const tools::Candidate& beside) {
  return {{"rollout", beside.percent}, {"version", beside.tool->spec().version}, {"digest", beside.tool->digest}};
}

}  // namespace

std::shared_ptr<const proto::Switches> nothing_is_off() {
  static const auto nothing = std::make_shared<const proto::Switches>();
  return nothing;
}

std::shared_ptr<const ToolList> ToolsView::render(const Tools& tools, const tools::ApiNames& names,
                                                  tools::Format format, Off shown) const {
  auto list = std::make_shared<ToolList>();
  tools::Sha256 hash;
  list->json.push_back('[');
  for (const auto* tool : tools) {
    const tools::Spec& spec = tool->spec();
    const auto* off = switches_->off(spec.ns, spec.name);
    if (off != nullptr && shown == Off::kLeftOut) continue;
    if (list->json.size() > 1) list->json.push_back(',');
    auto definition = tools::definition(spec, format, names.of(spec));
    if (off != nullptr) definition["disabled"] = disabled(*off);
    const auto* beside = shown == Off::kShown ? registry_->candidate_of(spec.ns, spec.name) : nullptr;
    if (beside != nullptr) definition["candidate"] = candidate(*beside);
    list->json += to_text(definition);
    if (off == nullptr) hash.add(spec.qualified_name() + "\n" + tool->digest + "\n");
  }
  list->json.push_back(']');
  list->digest = "sha256:" + hash.hex();
  return list;
}

void ToolsView::look() {
  auto now = live_.now();
  auto switches = switches_now_();
  if (now == registry_ && switches == switches_) return;
  registry_ = std::move(now);
  switches_ = std::move(switches);
  seen_.clear();
}

ToolsView::Seen& ToolsView::remember(std::string key, Tools tools) {
  if (seen_.size() >= kMostSeen) seen_.clear();
  Seen& seen = seen_[std::move(key)];
  seen.names = std::make_shared<const tools::ApiNames>(tools);
  seen.tools = std::move(tools);
  return seen;
}

ToolsView::Seen& ToolsView::seen(std::span<const std::string> namespaces, std::string_view session_key) {
  look();
  std::string key;
  for (const auto& ns : namespaces) key += ns + "\n";
  // Sessions that get the same candidates see the same list.
  for (const auto& beside : registry_->candidates()) {
    const tools::Spec& spec = beside.tool->spec();
    const bool sees = tools::are_all(namespaces) || std::find(namespaces.begin(), namespaces.end(), spec.ns) != namespaces.end();
    const auto name = spec.qualified_name();
    if (sees && !session_key.empty() && tools::in_rollout(session_key, name, beside.percent)) key += "+" + name;
  }
  if (const auto found = seen_.find(key); found != seen_.end()) return found->second;
  auto tools = registry_->list(namespaces);
  if (!session_key.empty()) {
    for (const auto*& tool : tools) tool = registry_->version_for(session_key, tool);
  }
  return remember(std::move(key), std::move(tools));
}

const std::shared_ptr<const ToolList>& ToolsView::list_of(Seen& seen, tools::Format format, Off off) {
  auto& list = seen.lists[static_cast<std::size_t>(format)];
  if (!list) list = render(seen.tools, *seen.names, format, off);
  return list;
}

std::shared_ptr<const ToolList> ToolsView::of(std::span<const std::string> namespaces,
                                              tools::Format format, std::string_view session_key) {
  return list_of(seen(namespaces, session_key), format, Off::kLeftOut);
}

std::shared_ptr<const tools::ApiNames> ToolsView::names(std::span<const std::string> namespaces) {
  return seen(namespaces, {}).names;
}

std::shared_ptr<const ToolList> ToolsView::all(tools::Format format, const ToolFilter& filter) {
  look();
  const Off off = format == tools::Format::kToolway ? Off::kShown : Off::kLeftOut;
  if (filter.wants_all()) {
    const auto found = seen_.find("*");  // no namespace has this name
    return list_of(found != seen_.end() ? found->second : remember("*", registry_->list()), format, off);
  }
  Tools wanted = registry_->list();
  std::erase_if(wanted, [&filter](const auto* tool) { return !filter.wants(tool->spec()); });
  return render(wanted, tools::ApiNames(wanted), format, off);
}

std::string tools_json(const ToolList& list) {
  std::string out;
  out.reserve(list.json.size() + 128);
  ObjectText object(out);
  object.json("tools", list.json);
  object.text("digest", list.digest);
  object.end();
  return out;
}

}  // namespace toolway::gateway
