#include "persistence/reaper/call_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

/// The durable that takes `call.<pool>.<lane>.<part>.<session>`.
std::string durable_of(const std::string& subject) {
  std::vector<std::string> tokens;
  for (std::size_t begin = 0; begin <= subject.size();) {
    const auto end = std::min(subject.find('.', begin), subject.size());
    tokens.push_back(subject.substr(begin, end - begin));
    begin = end + 1;
  }
  if (tokens.size() != 5) return {};
  return fmt::format("{}-{}-{}", tokens[1], tokens[2], tokens[3]);
}

}  // namespace

Result<void> CallQueue::refresh() {
  ASSIGN_OR_RETURN(auto stream, bus::answer_of<bus::StreamState>([&](auto handler) {
                     bus_.stream_state(proto::kCallsStream, handler);
                   }));
  ASSIGN_OR_RETURN(auto names, bus::answer_of<std::vector<std::string>>([&](auto handler) {
                     bus_.durables(proto::kCallsStream, handler);
                   }));
  settled_.look(stream);
  std::map<std::string, std::uint64_t> floors;
  std::map<std::string, Pool> pools;
  for (const auto& name : names) {
    const auto durable = proto::parse_call_durable(name);
    if (!durable) continue;
    const auto state = ask(name);
    if (!state && state.error().code == ErrorCode::kNotFound) continue;
    RETURN_IF_ERROR(state);
    floors[name] = state->ack_floor;
    auto& pool = pools[durable->pool];
    ++(durable->lane == proto::Lane::kNormal ? pool.normal : pool.bulk);
    pool.highest_delivered = std::max(pool.highest_delivered, state->delivered);
  }
  stream_ = stream;
  floors_ = std::move(floors);
  pools_ = std::move(pools);
  return {};
}

Result<bus::ConsumerState> CallQueue::ask(const std::string& durable) {
  if (const auto settled = settled_.find(durable)) return *settled;
  ASSIGN_OR_RETURN(auto state, bus::answer_of<bus::ConsumerState>([&](auto handler) {
                     bus_.consumer_state({std::string(proto::kCallsStream), durable}, handler);
                   }));
  settled_.answered(durable, state);
  return state;
}

bool CallQueue::surely_queued(const WatchedCall& call) const {
  const auto pool = pools_.find(call.pool);
  return pool != pools_.end() && call.published.incarnation == stream_.incarnation &&
         call.published.sequence >= stream_.first_sequence &&
         call.published.sequence > pool->second.highest_delivered;
}

QueueState CallQueue::state_of(const store::EventPosition& published) const {
  if (published.incarnation != stream_.incarnation || published.sequence < stream_.first_sequence) {
    return published.incarnation > stream_.incarnation ? QueueState::kUnknown : QueueState::kGone;
  }
  auto message = bus::answer_of<bus::StoredMessage>([&](auto handler) {
    bus_.next_message(proto::kCallsStream, ">", published.sequence, bus::ReadFrom::kLeader,
                      handler);
  });
  if (!message) {
    return message.error().code == ErrorCode::kNotFound ? QueueState::kGone : QueueState::kUnknown;
  }
  if (message->sequence != published.sequence) return QueueState::kGone;
  const auto floor = floors_.find(durable_of(message->subject));
  if (floor == floors_.end()) return QueueState::kUnknown;
  return published.sequence <= floor->second ? QueueState::kTaken : QueueState::kQueued;
}

Result<std::string> CallQueue::subject_of(const v1::CallRequest& request) const {
  const auto found = pools_.find(request.pool());
  if (found == pools_.end()) {
    return fail(ErrorCode::kPoolUnavailable,
                fmt::format("pool {} has no durable on CALLS: run `toolway migrate --pool {}`",
                            request.pool(), request.pool()));
  }
  const auto session = SessionKey::parse(request.session_key());
  RETURN_IF_ERROR(session);
  const auto& pool = found->second;
  const auto lane = pool.normal > 0 ? proto::Lane::kNormal : proto::Lane::kBulk;
  const auto partitions = std::max(1U, pool.normal > 0 ? pool.normal : pool.bulk);
  return proto::call_subject(request.pool(), lane, proto::partition_of(*session, partitions),
                             *session);
}

}  // namespace toolway::persistence::reaper
