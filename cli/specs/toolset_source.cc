#include "cli/specs/toolset_source.h"

#include <fmt/format.h>

#include "bus/answer.h"
#include "proto/subjects.h"
#include "tools/specs/reader.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEvery{100};
constexpr milliseconds kWhenAway{1'000};
constexpr milliseconds kListPatience{10'000};

}  // namespace

ToolsetSource::ToolsetSource(bus::Bus& bus)
    : bucket_(bus, std::string(proto::kToolsetsBucket)),
      connection_(bus.on_connection([seen = seen_](bus::Connection now) {
        if (now == bus::Connection::kDisconnected) return;
        const std::scoped_lock lock(seen->mutex);
        seen->list = true;
      })) {}

ToolsetSource::~ToolsetSource() = default;

milliseconds ToolsetSource::pause() const { return away_.empty() ? kEvery : kWhenAway; }

std::optional<tools::SourceState> ToolsetSource::look(std::stop_token stop) {
  std::vector<bus::Entry> entries;
  auto why = read(stop, entries);
  bool changed = first_ || why.empty() != away_.empty();
  away_ = std::move(why);
  first_ = false;
  found_.clear();
  bool taken = false;
  for (const auto& entry : entries) {
    taken = take(entry) || taken;
    changed = changed || (taken && entry.value.empty());
  }
  if (taken) changed = put_together() || changed;
  if (!changed && found_.empty()) return std::nullopt;
  return state();
}

std::string ToolsetSource::read(const std::stop_token& stop, std::vector<bus::Entry>& entries) {
  if (!watch_) {
    auto watch = bucket_.watch([seen = seen_](const bus::Entry& entry) {
      const std::scoped_lock lock(seen->mutex);
      seen->entries.push_back(entry);
    });
    if (!watch) return watch.error().message;
    watch_ = *std::move(watch);
  }
  bool list = false;
  {
    const std::scoped_lock lock(seen_->mutex);
    list = std::exchange(seen_->list, false);
    entries.swap(seen_->entries);
  }
  if (!list) return "";
  auto listed = bus::asked<std::vector<bus::Entry>>([this](auto handler) { bucket_.list(std::move(handler)); });
  const auto until = std::chrono::steady_clock::now() + kListPatience;
  while (listed.wait_for(kEvery) != std::future_status::ready) {
    if (stop.stop_requested() || std::chrono::steady_clock::now() > until) break;
  }
  const bool ready = listed.wait_for(milliseconds(0)) == std::future_status::ready;
  auto result = ready ? listed.get() : fail(ErrorCode::kTimeout, "NATS does not answer");
  if (!result) {
    const std::scoped_lock lock(seen_->mutex);
    seen_->list = true;
    return result.error().message;
  }
  entries.insert(entries.end(), std::make_move_iterator(result->begin()), std::make_move_iterator(result->end()));
  return "";
}

/// False: it is known already, or older than what is.
bool ToolsetSource::take(const bus::Entry& entry) {
  auto& kept = kept_[entry.key];
  if (kept.revision >= entry.revision) return false;
  kept.revision = entry.revision;
  if (entry.value.empty()) {  // deleted: an operator wants that server's tools gone
    kept.part = {};
    unreadable_.erase(entry.key);
    return servers_.erase(entry.key.substr(0, entry.key.find('.'))) > 0;
  }
  auto part = read_toolset_entry(entry.key, entry.value);
  if (!part) {
    found_.push_back({"toolsets", 1, part.error().message});
    unreadable_.insert_or_assign(entry.key, found_.back());
    return false;
  }
  unreadable_.erase(entry.key);
  kept.part = *std::move(part);
  return true;
}

/// Makes anew what is there as a whole, and another than before; a set of which a part is
/// still on its way stays what it was.
bool ToolsetSource::put_together() {
  bool changed = false;
  for (const auto& [key, first] : kept_) {
    if (first.part.part != 0 || first.part.server.empty()) continue;
    auto& server = servers_[first.part.server];
    if (server.digest == first.part.digest) continue;
    std::vector<const ToolsetPart*> parts;
    for (unsigned i = 0; i < first.part.parts; ++i) {
      const auto found = kept_.find(fmt::format("{}.{}", first.part.server, i));
      if (found != kept_.end() && found->second.part.digest == first.part.digest) parts.push_back(&found->second.part);
    }
    if (parts.size() != first.part.parts) continue;
    const auto origin = fmt::format("MCP server {}", first.part.server);
    std::vector<tools::ReadSpec> specs;
    server.mistakes.clear();
    for (const auto* part : parts) {
      for (const auto& document : part->documents) {
        auto spec = tools::spec_of_document(document);
        if (spec) specs.push_back({.spec = *std::move(spec)});
        else server.mistakes.push_back({origin, 1, spec.error().message});
      }
    }
    found_.insert(found_.end(), server.mistakes.begin(), server.mistakes.end());
    server.good = tools::make_part(origin, std::move(specs));
    server.digest = first.part.digest;
    changed = true;
  }
  return changed;
}

tools::SourceState ToolsetSource::state() {
  tools::SourceState state;
  for (const auto& [name, server] : servers_) {
    if (server.good) state.parts.push_back(server.good);
    state.mistakes.insert(state.mistakes.end(), server.mistakes.begin(), server.mistakes.end());
  }
  for (const auto& [key, mistake] : unreadable_) state.mistakes.push_back(mistake);
  state.found = std::move(found_);
  state.away = away_;
  return state;
}

}  // namespace toolway::cli
