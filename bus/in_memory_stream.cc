#include "bus/in_memory_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "bus/subject_filter.h"

namespace toolway::bus {

std::uint64_t InMemoryDurable::take(MonotonicTime now, std::chrono::milliseconds ack_wait) {
  if (outstanding.size() >= config.max_ack_pending) return 0;
  std::uint64_t sequence = 0;
  std::uint64_t deliveries = 1;
  if (!due.empty() && due.begin()->first <= now) {
    sequence = due.begin()->second;
    due.erase(due.begin());
    deliveries = earlier_deliveries[sequence] + 1;
    earlier_deliveries.erase(sequence);
  } else if (next < matching.size()) {
    sequence = matching[next++];
  } else {
    return 0;
  }
  outstanding[sequence] = {deliveries, now + ack_wait};
  return sequence;
}

void InMemoryDurable::settle(std::uint64_t sequence, Settlement settlement, MonotonicTime now,
                             std::chrono::milliseconds ack_wait) {
  const auto found = outstanding.find(sequence);
  if (found == outstanding.end()) {
    // An ack is not bound to a lease: one of an earlier delivery is honoured.
    if (settlement.kind != SettleKind::kAck && settlement.kind != SettleKind::kTerm) return;
    std::erase_if(due, [&](const auto& entry) { return entry.second == sequence; });
    earlier_deliveries.erase(sequence);
    return;
  }
  switch (settlement.kind) {
    case SettleKind::kInProgress: found->second.expires = now + ack_wait; return;
    case SettleKind::kNak:
      due.emplace(now + settlement.delay, sequence);
      earlier_deliveries[sequence] = found->second.deliveries;
      break;
    case SettleKind::kAck:
    case SettleKind::kTerm: break;
  }
  outstanding.erase(found);
}

void InMemoryDurable::expire(MonotonicTime now) {
  for (auto it = outstanding.begin(); it != outstanding.end();) {
    if (it->second.expires > now) {
      ++it;
      continue;
    }
    due.emplace(now, it->first);
    earlier_deliveries[it->first] = it->second.deliveries;
    it = outstanding.erase(it);
  }
}

std::uint64_t InMemoryDurable::ack_floor() const {
  std::uint64_t first_open = next < matching.size() ? matching[next] : UINT64_MAX;
  if (!outstanding.empty()) first_open = std::min(first_open, outstanding.begin()->first);
  for (const auto& entry : due) first_open = std::min(first_open, entry.second);
  if (first_open == UINT64_MAX) return matching.empty() ? 0 : matching.back();
  const auto after = std::lower_bound(matching.begin(), matching.end(), first_open);
  return after == matching.begin() ? 0 : *(after - 1);
}

ConsumerState InMemoryDurable::state() const {
  return {.ack_floor = ack_floor(),
          .delivered = next == 0 ? 0 : matching[next - 1],
          .pending = pending(),
          .ack_pending = outstanding.size() + due.size()};
}

bool InMemoryDurable::ready(MonotonicTime now) const {
  if (outstanding.size() >= config.max_ack_pending) return false;
  return next < matching.size() || next_change() <= now;
}

MonotonicTime InMemoryDurable::next_change() const {
  MonotonicTime soonest = MonotonicTime::max();
  if (!due.empty()) soonest = due.begin()->first;
  for (const auto& entry : outstanding) soonest = std::min(soonest, entry.second.expires);
  return soonest;
}

InMemoryStream::InMemoryStream(StreamConfig config, WallTime created)
    : config_(std::move(config)), created_(created) {
  update(config_);
}

void InMemoryStream::update(const StreamConfig& config) {
  for (const DurableConfig& wanted : config.durables) {
    auto [place, added] = durables_.try_emplace(wanted.name);
    place->second.config = wanted;
    if (!added) continue;
    for (const StoredMessage& message : messages_) {
      if (wanted.filter.empty() || subject_matches(wanted.filter, message.subject)) {
        place->second.matching.push_back(message.sequence);
      }
    }
  }
}

Result<PubAck> InMemoryStream::store(const Publication& publication, WallTime now) {
  if (!publication.message_id.empty()) {
    const auto known = ids_.find(publication.message_id);
    if (known != ids_.end() && now - known->second.second < kDuplicateWindow) {
      return PubAck{known->second.first, true};
    }
  }
  auto& last = last_[publication.subject];
  if (publication.expected_last && *publication.expected_last != last) {
    return fail(ErrorCode::kWrongLastSequence, fmt::format("wrong last sequence: {}", last));
  }
  last = messages_.size() + 1;
  messages_.push_back({publication.subject, publication.payload, last, now});
  bytes_ += publication.subject.size() + publication.payload.size();
  if (!publication.message_id.empty()) ids_[publication.message_id] = {last, now};
  for (auto& [name, durable] : durables_) {
    if (durable.config.filter.empty() ||
        subject_matches(durable.config.filter, publication.subject)) {
      durable.matching.push_back(last);
    }
  }
  return PubAck{last, false};
}

const StoredMessage* InMemoryStream::last(std::string_view subject) const {
  const auto found = last_.find(std::string(subject));
  if (found == last_.end() || found->second == 0) return nullptr;
  return &at(found->second);
}

const StoredMessage* InMemoryStream::next(std::string_view filter, std::uint64_t sequence) const {
  for (std::uint64_t at = std::max<std::uint64_t>(sequence, 1); at <= messages_.size(); ++at) {
    if (subject_matches(filter, messages_[at - 1].subject)) return &messages_[at - 1];
  }
  return nullptr;
}

std::vector<std::string> InMemoryStream::durable_names() const {
  std::vector<std::string> names;
  for (const auto& [name, durable] : durables_) names.push_back(name);
  return names;
}

StreamState InMemoryStream::state() const {
  return {.incarnation = to_unix_us(created_) / 1000,
          .first_sequence = 1,
          .last_sequence = messages_.size(),
          .messages = messages_.size(),
          .bytes = bytes_,
          .max_bytes = config_.max_bytes,
          .max_age = config_.max_age};
}

}  // namespace toolway::bus
