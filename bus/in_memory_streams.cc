#include "bus/in_memory_streams.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "bus/subject_filter.h"
#include "bus/topology.h"

namespace toolway::bus {

Result<InMemoryStream*> InMemoryStreams::find(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return fail(ErrorCode::kNotFound, fmt::format("no stream {}", name));
  return &found->second;
}

Result<InMemoryDurable*> InMemoryStreams::find(const Durable& durable) {
  ASSIGN_OR_RETURN(auto stream, find(durable.stream));
  auto& durables = stream->durables();
  const auto found = durables.find(durable.name);
  if (found == durables.end()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no durable {} of stream {}", durable.name, durable.stream));
  }
  return &found->second;
}

InMemoryStream* InMemoryStreams::taking(std::string_view subject) {
  for (auto& [name, stream] : by_name_) {
    if (subject_matches(stream.config().subjects, subject)) return &stream;
  }
  return nullptr;
}

void InMemoryStreams::provision(const Layout& layout, WallTime now) {
  for (const StreamConfig& config : topology(layout)) {
    const auto found = by_name_.find(config.name);
    if (found == by_name_.end()) {
      by_name_.emplace(config.name, InMemoryStream(config, now));
    } else {
      found->second.update(config);
    }
  }
}

void InMemoryStreams::expire_deliveries() {
  for (auto& [name, stream] : by_name_) {
    for (auto& [durable_name, durable] : stream.durables()) {
      durable.expire(MonotonicTime::max());
      // Expired "in the future" must be deliverable now.
      std::set<std::pair<MonotonicTime, std::uint64_t>> due;
      for (const auto& entry : durable.due) due.emplace(MonotonicTime::min(), entry.second);
      durable.due = std::move(due);
    }
  }
}

MonotonicTime InMemoryStreams::next_change() const {
  MonotonicTime soonest = MonotonicTime::max();
  for (const auto& [name, stream] : by_name_) {
    for (const auto& [durable_name, durable] : stream.durables()) {
      soonest = std::min(soonest, durable.next_change());
    }
  }
  return soonest;
}

}  // namespace toolway::bus
