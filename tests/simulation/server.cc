#include "tests/simulation/server.h"

#include <algorithm>
#include <charconv>

#include "bus/subject_filter.h"
#include "proto/subjects.h"

namespace toolway::simulation {
namespace {

constexpr Micros kSyncInterval{100'000};
constexpr std::int64_t kIncarnation = NodeClock::kEpochUs / 1000;

bool takes(const ServerDurable& durable, const bus::StoredMessage& message) {
  return durable.config.filter.empty() ||
         bus::subject_matches(durable.config.filter, message.subject);
}

void forget_due(ServerDurable& durable, std::uint64_t sequence) {
  for (auto it = durable.due.begin(); it != durable.due.end();) {
    it = it->second == sequence ? durable.due.erase(it) : std::next(it);
  }
}

}  // namespace

std::string reply_of(const bus::Durable& durable, std::uint64_t sequence, std::uint64_t count) {
  return fmt::format("{}|{}|{}|{}", durable.stream, durable.name, sequence, count);
}

std::uint64_t ServerDurable::ack_floor(std::uint64_t last) const {
  std::uint64_t open = std::min(next, last + 1);
  if (!outstanding.empty()) open = std::min(open, outstanding.begin()->first);
  for (const auto& [at, sequence] : due) open = std::min(open, sequence);
  return open - 1;
}

const bus::StoredMessage* ServerStream::at(std::uint64_t sequence) const {
  return sequence < first || sequence > last() ? nullptr : &messages[sequence - first];
}

const bus::StoredMessage* ServerStream::last_of(const std::string& subject,
                                                std::uint64_t seen) const {
  const auto found = by_subject.find(subject);
  if (found == by_subject.end()) return nullptr;
  for (auto it = found->second.rbegin(); it != found->second.rend(); ++it) {
    if (*it <= seen) return at(*it);  // null when it has left the window, as all before it
  }
  return nullptr;
}

Server::Server(World& world, const bus::Layout& layout, Broken broken)
    : world_(world), broken_(broken) {
  for (auto& config : bus::topology(layout)) {
    ServerStream& made = streams_[config.name];
    for (const auto& durable : config.durables) made.durables[durable.name].config = durable;
    made.config = config;
  }
}

ServerStream* Server::stream(std::string_view name) {
  const auto found = streams_.find(name);
  return found == streams_.end() ? nullptr : &found->second;
}

Result<bus::PubAck> Server::store(const bus::Publication& publication) {
  ServerStream* into = nullptr;
  for (auto& [name, candidate] : streams_) {
    if (bus::subject_matches(candidate.config.subjects, publication.subject)) into = &candidate;
  }
  if (into == nullptr) return fail(ErrorCode::kBusUnavailable, "no stream takes it");
  if (!publication.message_id.empty()) {
    const auto known = into->ids.find(publication.message_id);
    if (known != into->ids.end() && world_.now() - known->second.second < bus::kDuplicateWindow) {
      return bus::PubAck{known->second.first, true};
    }
  }
  auto& sequences = into->by_subject[publication.subject];
  const std::uint64_t last =
      sequences.empty() || sequences.back() < into->first ? 0 : sequences.back();
  if (publication.expected_last && *publication.expected_last != last &&
      broken_ != Broken::kExpectedLast) {
    return fail(ErrorCode::kWrongLastSequence, fmt::format("wrong last sequence: {}", last));
  }
  const std::uint64_t sequence = into->last() + 1;
  if (broken_ == Broken::kLostEvent && into->config.name == proto::kEventsStream &&
      world_.random().per_mille(10)) {
    return bus::PubAck{sequence, false};
  }
  into->messages.push_back(
      {publication.subject, publication.payload, sequence, server_time(world_)});
  sequences.push_back(sequence);
  if (!publication.message_id.empty()) into->ids[publication.message_id] = {sequence, world_.now()};
  if (stored) stored(into->config.name, into->messages.back());
  for (auto& [name, durable] : into->durables) {
    if (takes(durable, into->messages.back())) dispatch_soon(into->config.name, name, Micros(0));
  }
  return bus::PubAck{sequence, false};
}

void Server::dispatch_soon(const std::string& stream, const std::string& durable, Micros delay) {
  ServerDurable& found = streams_.at(stream).durables.at(durable);
  if (delay == Micros(0)) {
    if (found.dispatching) return;
    found.dispatching = true;
    world_.after(delay, [this, stream, durable, &found] {
      found.dispatching = false;
      dispatch(stream, durable);
    });
    return;
  }
  world_.after(delay, [this, stream, durable] { dispatch(stream, durable); });
}

bool Server::take(ServerDurable& durable, const ServerStream& stream, std::uint64_t& sequence,
                  std::uint64_t& count) {
  if (durable.outstanding.size() >= durable.config.max_ack_pending) return false;
  while (!durable.due.empty() && durable.due.begin()->first <= world_.now()) {
    sequence = durable.due.begin()->second;
    durable.due.erase(durable.due.begin());
    count = durable.counts[sequence] + 1;
    durable.counts.erase(sequence);
    if (stream.at(sequence) != nullptr) return true;  // else it has left the window
  }
  durable.next = std::max(durable.next, stream.first);
  while (durable.next <= stream.last()) {
    sequence = durable.next++;
    count = 1;
    if (takes(durable, *stream.at(sequence))) return true;
  }
  return false;
}

void Server::dispatch(const std::string& stream_name, const std::string& durable_name) {
  ServerStream& stream = streams_.at(stream_name);
  ServerDurable& durable = stream.durables.at(durable_name);
  std::erase_if(durable.pullers, [](const auto& puller) { return puller->client.expired(); });
  for (;;) {
    std::vector<PullClient*> ready;
    for (const auto& puller : durable.pullers) {
      const auto client = puller->client.lock();
      if (client && client->reachable() && puller->allowed > 0) ready.push_back(puller.get());
    }
    std::uint64_t sequence = 0;
    std::uint64_t count = 0;
    if (ready.empty() || !take(durable, stream, sequence, count)) return;
    durable.outstanding[sequence] = {count, world_.now() + durable.config.ack_wait};
    world_.after(durable.config.ack_wait, [this, stream_name, durable_name, sequence] {
      expire(stream_name, durable_name, sequence);
    });
    PullClient* puller = ready[world_.random().below(ready.size())];
    --puller->allowed;
    puller->deliver(*stream.at(sequence), count);
    if (broken_ == Broken::kEarlyAck && !durable.config.filter.empty()) {
      durable.outstanding.erase(sequence);
    }
  }
}

void Server::expire(const std::string& stream, const std::string& durable_name,
                    std::uint64_t sequence) {
  ServerDurable& durable = streams_.at(stream).durables.at(durable_name);
  const auto found = durable.outstanding.find(sequence);
  if (found == durable.outstanding.end()) return;
  if (found->second.expires > world_.now()) {
    // Extended, or delivered again: every delivery and extension looks again by itself.
    return;
  }
  durable.due.emplace(world_.now(), sequence);
  durable.counts[sequence] = found->second.count;
  durable.outstanding.erase(found);
  dispatch_soon(stream, durable_name, Micros(0));
}

void Server::settle(const std::string& reply, bus::Settlement settlement) {
  const auto bar = reply.find('|');
  const auto second = reply.find('|', bar + 1);
  const std::string stream = reply.substr(0, bar);
  const std::string name = reply.substr(bar + 1, second - bar - 1);
  std::uint64_t sequence = 0;
  std::from_chars(reply.data() + second + 1, reply.data() + reply.size(), sequence);
  ServerDurable& durable = streams_.at(stream).durables.at(name);
  const auto found = durable.outstanding.find(sequence);
  switch (settlement.kind) {
    case bus::SettleKind::kInProgress:
      // From any client that says so, even when the delivery is another's by now.
      if (found == durable.outstanding.end()) return;
      found->second.expires = world_.now() + durable.config.ack_wait;
      world_.after(durable.config.ack_wait,
                   [this, stream, name, sequence] { expire(stream, name, sequence); });
      return;
    case bus::SettleKind::kNak:
      if (found == durable.outstanding.end()) return;
      durable.due.emplace(world_.now() + settlement.delay, sequence);
      durable.counts[sequence] = found->second.count;
      durable.outstanding.erase(found);
      return dispatch_soon(stream, name, settlement.delay);
    case bus::SettleKind::kAck:
    case bus::SettleKind::kTerm:
      if (sequence >= durable.next) return;  // of a life of the durable that has ended
      if (found != durable.outstanding.end()) durable.outstanding.erase(found);
      forget_due(durable, sequence);
      durable.counts.erase(sequence);
      durable.unflushed[sequence] = world_.now();
      return dispatch_soon(stream, name, Micros(0));
  }
}

std::shared_ptr<PullClient> Server::pull(const bus::Durable& durable, PullClient puller) {
  auto shared = std::make_shared<PullClient>(std::move(puller));
  streams_.at(durable.stream).durables.at(durable.name).pullers.push_back(shared);
  return shared;
}

Result<bus::StreamState> Server::state(std::string_view name) {
  const ServerStream* found = stream(name);
  if (found == nullptr) return fail(ErrorCode::kNotFound, "no such stream");
  return bus::StreamState{.incarnation = kIncarnation,
                          .first_sequence = found->first,
                          .last_sequence = found->last(),
                          .messages = found->messages.size(),
                          .bytes = 0,
                          .max_bytes = found->config.max_bytes,
                          .max_age = found->config.max_age};
}

Result<bus::ConsumerState> Server::consumer(const bus::Durable& durable) {
  ServerStream* found = stream(durable.stream);
  if (found == nullptr || !found->durables.contains(durable.name)) {
    return fail(ErrorCode::kNotFound, "no such durable");
  }
  const ServerDurable& state = found->durables.at(durable.name);
  std::uint64_t pending = 0;
  for (std::uint64_t at = std::max(state.next, found->first); at <= found->last(); ++at) {
    if (takes(state, *found->at(at))) ++pending;
  }
  std::uint64_t waiting = 0;
  for (const auto& puller : state.pullers) {
    const auto client = puller->client.lock();
    if (client && client->reachable() && puller->allowed > 0) ++waiting;
  }
  return bus::ConsumerState{.ack_floor = state.ack_floor(found->last()),
                            .delivered = state.next - 1,
                            .pending = pending,
                            .ack_pending = state.outstanding.size() + state.due.size(),
                            .waiting = waiting};
}

void Server::restart() {
  for (auto& [name, stream] : streams_) {
    stream.ids.clear();
    for (auto& [durable_name, durable] : stream.durables) {
      // Acks that were not flushed are gone: these messages come again, as if for the first time.
      for (const auto& [sequence, at] : durable.unflushed) {
        if (world_.now() - at > kSyncInterval || stream.at(sequence) == nullptr) continue;
        if (world_.random().per_mille(600)) durable.due.emplace(world_.now(), sequence);
      }
      durable.unflushed.clear();
      // Neither were counts.
      for (auto& [sequence, out] : durable.outstanding) {
        if (world_.random().per_mille(500)) out.count = 0;
      }
      dispatch_soon(name, durable_name, Micros(0));
    }
  }
}

void Server::remake_durable(const std::string& stream, const std::string& name) {
  ServerDurable& durable = streams_.at(stream).durables.at(name);
  durable.next = 1;
  durable.outstanding.clear();
  durable.due.clear();
  durable.counts.clear();
  durable.unflushed.clear();
  dispatch_soon(stream, name, Micros(0));
}

void Server::drop_recorded(const std::string& name, Micros age) {
  ServerStream& stream = streams_.at(name);
  const auto& collector = stream.durables.at(std::string(proto::kCollectorDurable));
  const std::uint64_t recorded = collector.ack_floor(stream.last());
  // The last one stays: max_bytes has room for it, and by age the calls would go before their
  // events.
  while (stream.first <= recorded && stream.messages.size() > 1 &&
         server_time(world_) - stream.messages.front().stored_at > age) {
    stream.messages.pop_front();
    ++stream.first;
  }
}

WallTime Server::recorded_until() const {
  WallTime upto = server_time(world_);
  for (const auto name : {proto::kCallsStream, proto::kEventsStream}) {
    const ServerStream& stream = streams_.find(name)->second;
    const auto floor =
        stream.durables.at(std::string(proto::kCollectorDurable)).ack_floor(stream.last());
    if (const auto* next = stream.at(std::max(floor + 1, stream.first)))
      upto = std::min(upto, next->stored_at);
  }
  return upto;
}

}  // namespace toolway::simulation
