#include "gateway/tools_view.h"

#include "gateway/json_text.h"
#include "tools/exports/definitions.h"
#include "tools/sha256.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostSeen = 256;

std::shared_ptr<const ToolList> render(std::span<const tools::RegisteredTool* const> tools,
                                       const tools::ApiNames& names, tools::Format format) {
  auto list = std::make_shared<ToolList>();
  tools::Sha256 hash;
  list->json.push_back('[');
  for (const auto* tool : tools) {
    const tools::Spec& spec = tool->spec();
    if (list->json.size() > 1) list->json.push_back(',');
    list->json += to_text(tools::definition(spec, format, names.of(spec)));
    hash.add(spec.qualified_name() + "\n" + tool->digest + "\n");
  }
  list->json.push_back(']');
  list->digest = "sha256:" + hash.hex();
  return list;
}

}  // namespace

void ToolsView::look() {
  auto now = live_.now();
  if (now == registry_) return;
  registry_ = std::move(now);
  seen_.clear();
}

ToolsView::Seen& ToolsView::remember(std::string key, Tools tools) {
  if (seen_.size() >= kMostSeen) seen_.clear();
  Seen& seen = seen_[std::move(key)];
  seen.names = std::make_shared<const tools::ApiNames>(tools);
  seen.tools = std::move(tools);
  return seen;
}

ToolsView::Seen& ToolsView::seen(std::span<const std::string> namespaces) {
  look();
  std::string key;
  for (const auto& ns : namespaces) key += ns + "\n";
  const auto found = seen_.find(key);
  return found != seen_.end() ? found->second : remember(std::move(key), registry_->list(namespaces));
}

const std::shared_ptr<const ToolList>& ToolsView::list_of(Seen& seen, tools::Format format) {
  auto& list = seen.lists[static_cast<std::size_t>(format)];
  if (!list) list = render(seen.tools, *seen.names, format);
  return list;
}

std::shared_ptr<const ToolList> ToolsView::of(std::span<const std::string> namespaces,
                                              tools::Format format) {
  return list_of(seen(namespaces), format);
}

std::shared_ptr<const tools::ApiNames> ToolsView::names(std::span<const std::string> namespaces) {
  return seen(namespaces).names;
}

std::shared_ptr<const ToolList> ToolsView::all(tools::Format format, const ToolFilter& filter) {
  look();
  if (filter.wants_all()) {
    const auto found = seen_.find("*");  // no namespace has this name
    return list_of(found != seen_.end() ? found->second : remember("*", registry_->list()), format);
  }
  Tools wanted = registry_->list();
  std::erase_if(wanted, [&filter](const auto* tool) { return !filter.wants(tool->spec()); });
  return render(wanted, tools::ApiNames(wanted), format);
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
