#include "cli/process/toolset_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/mutex.h"
#include "bus/answer.h"
#include "cli/process/toolset_tools.h"
#include "proto/subjects.h"
#include "tools/specs/reader.h"

namespace toolway::cli::process {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPollInterval{100};
constexpr milliseconds kWhenAway{1'000};
constexpr milliseconds kListPatience{10'000};
/// Of what the bus hands over between two looks; beyond it everything is read again instead.
constexpr std::size_t kMaxWaiting = 1'000;
constexpr std::size_t kMaxWaitingBytes = 32 * 1024 * 1024;
constexpr std::size_t kMaxStrangers = 20;
constexpr int kMaxSearched = 200;  // messages, for strangers

/// The server whose entry it is; empty: no server's.
std::string_view server_of(std::string_view key) {
  const auto dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

}  // namespace

void ToolsetSource::Seen::add(const bus::Entry& entry) {
  const auto server = server_of(entry.key);
  const MutexLock lock(mutex);
  if (!known.contains(server)) {
    if (!entry.value.empty() && valid_name(server) && strangers.size() < kMaxStrangers)
      strangers.emplace(server);
    return;
  }
  if (list) return;  // it is about to be read
  entries.push_back(entry);
  bytes += entry.value.size();
  if (entries.size() <= kMaxWaiting && bytes <= kMaxWaitingBytes) return;
  list = true;
  entries.clear();
  bytes = 0;
}

ToolsetSource::ToolsetSource(bus::Bus& bus,
                             std::vector<tools::executors::mcp_client::ServerConfig> servers)
    : bus_(bus),
      bucket_(bus, std::string(proto::kToolsetsBucket)),
      seen_([&servers] {
        Known known;
        for (auto& server : servers) known.emplace(server.name, server);
        return std::shared_ptr<Seen>(new Seen{.known = std::move(known), .mutex = {}});
      }()),
      connection_(bus.on_connection([seen = seen_](bus::Connection now) {
        if (now == bus::Connection::kDisconnected) return;
        const MutexLock lock(seen->mutex);
        seen->list = true;
      })) {}

ToolsetSource::~ToolsetSource() = default;

milliseconds ToolsetSource::pause() const { return away_.empty() ? kPollInterval : kWhenAway; }

std::optional<tools::loaders::SourceState> ToolsetSource::look(std::stop_token stop) {
  std::vector<bus::Entry> entries;
  auto why = read(stop, entries);
  bool changed = first_ || why.empty() != away_.empty();
  away_ = std::move(why);
  first_ = false;
  found_.clear();
  note_strangers();
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
    auto watch = bucket_.watch([seen = seen_](const bus::Entry& entry) { seen->add(entry); });
    if (!watch) return watch.error().message;
    watch_ = *std::move(watch);
  }
  bool list = false;
  {
    const MutexLock lock(seen_->mutex);
    list = std::exchange(seen_->list, false);
    entries.swap(seen_->entries);
    seen_->bytes = 0;
  }
  if (!list) return "";
  auto why = read_all(stop, entries);
  if (why.empty()) return why;
  const MutexLock lock(seen_->mutex);
  seen_->list = true;
  return why;
}

std::string ToolsetSource::read_all(const std::stop_token& stop, std::vector<bus::Entry>& entries) {
  const auto until = std::chrono::steady_clock::now() + kListPatience;
  /// Nothing there: a message without a sequence.
  const auto next = [&](auto ask) -> Result<bus::StoredMessage> {
    auto answer = bus::asked<bus::StoredMessage>(ask);
    while (answer.wait_for(kPollInterval) != std::future_status::ready) {
      if (stop.stop_requested() || std::chrono::steady_clock::now() > until)
        return fail(ErrorCode::kTimeout, "NATS does not answer");
    }
    auto message = answer.get();
    if (!message && message.error().code == ErrorCode::kNotFound) return bus::StoredMessage{};
    return message;
  };
  for (const auto& [name, server] : seen_->known) {
    for (unsigned part = 0, parts = 1; part < parts; ++part) {
      const auto key = fmt::format("{}.{}", name, part);
      auto message = next([&](auto handler) {
        bus_.last_message(proto::kToolsetsStream,
                          proto::bucket_subject(proto::kToolsetsBucket, key),
                          bus::ReadFrom::kLeader, std::move(handler));
      });
      if (!message) return message.error().message;
      if (message->sequence == 0) continue;
      if (const auto read = part == 0 ? read_toolset_entry(key, message->payload)
                                      : fail(ErrorCode::kNotFound, ""))
        parts = read->parts;
      entries.push_back({key, std::move(message->payload), message->sequence});
    }
  }
  std::uint64_t sequence = 1;
  const auto all = proto::bucket_subject(proto::kToolsetsBucket, ">");
  for (int i = 0; i < kMaxSearched; ++i) {
    auto message = next([&](auto handler) {
      bus_.next_message(proto::kToolsetsStream, all, sequence, bus::ReadFrom::kLeader,
                        std::move(handler));
    });
    if (!message) return message.error().message;
    if (message->sequence == 0) break;
    sequence = message->sequence + 1;
    const auto key = std::string_view(message->subject).substr(all.size() - 1);
    if (!seen_->known.contains(server_of(key)))
      seen_->add({std::string(key), std::move(message->payload), message->sequence});
  }
  return "";
}

void ToolsetSource::note_strangers() {
  std::set<std::string> strangers;
  {
    const MutexLock lock(seen_->mutex);
    strangers = seen_->strangers;
  }
  for (const auto& name : strangers) {
    const toolway::Mistake mistake{
        fmt::format("MCP server {}", name),
        "a worker found its tools, but this gateway was not told of this server and does not offer them. "
        "To offer them, give the gateway the workers' file of servers (--set mcp.servers=FILE)",
        1};
    if (strangers_.emplace(name, mistake).second) found_.push_back(mistake);
  }
}

/// False: it is known already, or is older than what is known.
bool ToolsetSource::take(const bus::Entry& entry) {
  const auto server = server_of(entry.key);
  const auto number = entry.key.substr(std::min(server.size() + 1, entry.key.size()));
  // So that no more are kept than a set may have.
  if (number.size() > 2 ||
      !std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  auto& kept = kept_[entry.key];
  if (kept.revision >= entry.revision) return false;
  kept.revision = entry.revision;
  if (entry.value.empty()) {  // deleted: an operator wants that server's tools gone
    kept.part = {};
    kept.bytes = 0;
    unreadable_.erase(entry.key);
    return servers_.erase(entry.key.substr(0, entry.key.find('.'))) > 0;
  }
  auto part = read_toolset_entry(entry.key, entry.value);
  std::size_t bytes = entry.value.size();
  for (const auto& [key, other] : kept_) {
    if (server_of(key) == server && key != entry.key) bytes += other.bytes;
  }
  if (part && bytes > kMaxSetBytes) {
    part = fail(ErrorCode::kInvalidSpec,
                fmt::format("the toolset of MCP server {} has {} bytes; the limit is {}", server,
                            bytes, kMaxSetBytes));
  }
  if (!part) {
    found_.push_back({"toolsets", part.error().message, 1});
    unreadable_.insert_or_assign(entry.key, found_.back());
    return false;
  }
  unreadable_.erase(entry.key);
  kept.part = *std::move(part);
  kept.bytes = entry.value.size();
  return true;
}

/// Makes each set again that is complete and has changed; a set with a part
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
      if (found != kept_.end() && found->second.part.digest == first.part.digest)
        parts.push_back(&found->second.part);
    }
    if (parts.size() != first.part.parts) continue;
    const auto origin = fmt::format("MCP server {}", first.part.server);
    std::vector<std::string_view> documents;
    for (const auto* part : parts)
      documents.insert(documents.end(), part->documents.begin(), part->documents.end());
    auto tools = take_tools(seen_->known.find(first.part.server)->second, documents);
    server.mistakes.clear();
    for (auto& mistake : tools.mistakes) server.mistakes.push_back({origin, std::move(mistake), 1});
    std::vector<tools::specs::ReadSpec> specs;
    for (auto& spec : tools.specs) specs.push_back({.spec = std::move(spec)});
    found_.insert(found_.end(), server.mistakes.begin(), server.mistakes.end());
    server.good = tools::loaders::make_part(origin, std::move(specs));
    server.digest = first.part.digest;
    changed = true;
  }
  return changed;
}

tools::loaders::SourceState ToolsetSource::state() {
  tools::loaders::SourceState state;
  for (const auto& [name, server] : servers_) {
    if (server.good) state.parts.push_back(server.good);
    state.mistakes.insert(state.mistakes.end(), server.mistakes.begin(), server.mistakes.end());
  }
  for (const auto& [name, mistake] : strangers_) state.mistakes.push_back(mistake);
  for (const auto& [key, mistake] : unreadable_) state.mistakes.push_back(mistake);
  state.found = std::move(found_);
  state.away = away_;
  return state;
}

}  // namespace toolway::cli::process
