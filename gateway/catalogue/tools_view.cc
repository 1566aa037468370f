#include "gateway/catalogue/tools_view.h"

#include <algorithm>

#include "base/try.h"
#include "tools/model/all_namespaces.h"
#include "tools/model/rollout.h"

namespace toolway::gateway::catalogue {
namespace {

constexpr std::size_t kMaxSeen = 256;
constexpr std::size_t kMaxKeptBytes = 32 * 1024 * 1024;

}  // namespace

std::shared_ptr<const proto::Switches> nothing_is_off() {
  static const auto nothing = std::make_shared<const proto::Switches>();
  return nothing;
}

void ToolsView::forget() {
  work_.discard(std::exchange(seen_, {}));
  kept_bytes_ = 0;
}

void ToolsView::look() {
  ToolsNow now{live_.now(), switches_now_()};
  if (now == now_) return;
  forget();
  // This may have been the last owner of every tool.
  work_.discard(std::exchange(now_, std::move(now)));
}

ToolsView::SeenPtr ToolsView::remember(std::string key, Tools tools, std::string_view session_key) {
  if (seen_.size() >= kMaxSeen) forget();
  auto& seen = seen_[std::move(key)] = std::make_shared<Seen>();
  seen->now = now_;
  seen->cost = cost_of(tools, loop::WorkPool::kSmall);
  seen->tools = std::move(tools);
  seen->session_key = session_key;
  return seen;
}

ToolsView::SeenPtr ToolsView::seen(std::span<const std::string> namespaces,
                                   std::string_view session_key,
                                   const extensions::GrantsPtr& grants) {
  look();
  const auto& registry = *now_.registry;
  std::string key;
  for (const auto& ns : namespaces) key += ns + "\n";
  // Sessions that get the same candidates see the same list.
  for (const auto& candidate : registry.candidates()) {
    const tools::model::Spec& spec = candidate.tool->spec();
    const bool sees = tools::model::are_all(namespaces) ||
                      std::find(namespaces.begin(), namespaces.end(), spec.ns) != namespaces.end();
    const auto name = spec.qualified_name();
    if (sees && !session_key.empty() &&
        tools::model::in_rollout(session_key, name, candidate.percent))
      key += "+" + name;
  }
  // No name has this character.
  if (grants) key += "=" + grants->key();
  if (const auto found = seen_.find(key); found != seen_.end()) return found->second;
  return remember(std::move(key), tools_of(registry, namespaces, grants), session_key);
}

ToolsView::SeenPtr ToolsView::seen_all() {
  look();
  const std::string key =
      "*";  // no namespace has this name, and those of a session end with a line
  if (const auto found = seen_.find(key); found != seen_.end()) return found->second;
  return remember(key, now_.registry->list(), {});
}

template <typename T, typename Make>
loop::Task<Result<std::shared_ptr<const T>>> ToolsView::made(std::size_t cost, Make make) {
  if (cost <= loop::WorkPool::kSmall) co_return std::make_shared<const T>(make());
  const auto permit = co_await turns_.acquire();
  auto work = [make = std::move(make)]() -> Result<std::shared_ptr<const T>> {
    return std::make_shared<const T>(make());
  };
  co_return co_await work_.run<std::shared_ptr<const T>>(std::move(work),
                                                         loop::WorkPool::WhenFull::kWaits);
}

loop::Task<Result<ToolSetPtr>> ToolsView::set_of(SeenPtr seen) {
  auto make = [this, seen] {
    return made<ToolSet>(seen->cost,
                         [seen] { return tool_set(seen->now, seen->tools, seen->session_key); });
  };
  co_return co_await seen->set.get(executor_, std::move(make));
}

loop::Task<Result<ToolListPtr>> ToolsView::make_list(SeenPtr seen, ToolSetPtr set,
                                                     tools::exports::Format format, Off off) {
  auto make = [set = std::move(set), format, off] { return tool_list(*set, format, off); };
  auto list = co_await made<ToolList>(seen->cost, std::move(make));
  if (list && seen->now == now_) kept_bytes_ += (*list)->json.size();
  if (kept_bytes_ > kMaxKeptBytes) forget();
  co_return list;
}

loop::Task<Result<ToolListPtr>> ToolsView::list_of(SeenPtr seen, tools::exports::Format format,
                                                   Off off) {
  const auto set = co_await set_of(seen);
  CO_RETURN_IF_ERROR(set);
  auto make = [this, seen, set = *set, format, off] { return make_list(seen, set, format, off); };
  co_return co_await seen->lists[static_cast<std::size_t>(format)].get(executor_, std::move(make));
}

loop::Task<Result<ToolListPtr>> ToolsView::of(std::span<const std::string> namespaces,
                                              tools::exports::Format format,
                                              std::string_view session_key,
                                              const extensions::GrantsPtr& grants) {
  return list_of(seen(namespaces, session_key, grants), format, Off::kLeftOut);
}

loop::Task<Result<ToolSetPtr>> ToolsView::set_of(std::span<const std::string> namespaces,
                                                 const extensions::GrantsPtr& grants) {
  return set_of(seen(namespaces, {}, grants));
}

loop::Task<Result<ToolListPtr>> ToolsView::all(tools::exports::Format format, ToolFilter filter) {
  const Off off = format == tools::exports::Format::kToolway ? Off::kShown : Off::kLeftOut;
  auto every = seen_all();
  if (filter.wants_all()) return list_of(std::move(every), format, off);
  const std::size_t cost = every->cost;
  auto make = [every = std::move(every), filter = std::move(filter), format, off] {
    Tools wanted = every->tools;
    std::erase_if(wanted, [&filter](const auto* tool) { return !filter.wants(tool->spec()); });
    return tool_list(tool_set(every->now, std::move(wanted), {}), format, off);
  };
  return made<ToolList>(cost, std::move(make));
}

}  // namespace toolway::gateway::catalogue
