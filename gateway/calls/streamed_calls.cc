#include "gateway/calls/streamed_calls.h"

#include <algorithm>

#include "gateway/calls/call_json.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {
namespace {

/// The server looks at every message of a range to find one by its subject: no single request
/// may make it search a longer range.
constexpr std::uint64_t kMaxSearchRange = 100'000;
constexpr std::size_t kMaxSessions = 4;
constexpr std::size_t kMaxUnrecordedCalls = 10'000;

/// The part of a stream that is not recorded: above `floor`, up to `end`.
struct Range {
  std::uint64_t floor = 0;
  std::uint64_t end = 0;
  bool searchable() const { return end > floor && end - floor <= kMaxSearchRange; }
};

loop::Task<std::optional<Range>> unrecorded_range(loop::AsyncBus& bus, std::string_view stream) {
  const auto state = co_await bus.stream_state(stream);
  if (!state) co_return std::nullopt;
  const auto collector = co_await bus.collector_state(stream);
  if (!collector && collector.error().code != ErrorCode::kNotFound) co_return std::nullopt;
  const std::uint64_t floor = collector ? collector->ack_floor : 0;
  const std::uint64_t first = state->first_sequence > 0 ? state->first_sequence - 1 : 0;
  co_return Range{std::max(floor, first), state->last_sequence};
}

std::optional<StreamedCall> streamed(const bus::StoredMessage& message) {
  auto request = proto::decode_call(message.payload);
  if (!request) return std::nullopt;
  StreamedCall found{.call = call_of(*request),
                     .request = {},
                     .stored_at = message.stored_at,
                     .sequence = message.sequence};
  found.call.pool = request->pool();
  found.call.arguments.clear();
  request->clear_arguments();
  found.request = std::move(*request);
  return found;
}

bool is_it(const std::optional<StreamedCall>& found, const wire::Caller& caller, const CallId& id) {
  return found && found->call.call_id == id.text() &&
         wire::owns(caller, found->call.tenant_id, found->call.user_id);
}

/// The message at a known place.
loop::Task<std::optional<StreamedCall>> at(loop::AsyncBus& bus, std::uint64_t sequence) {
  const auto message =
      co_await bus.next_message(proto::kCallsStream, "call.>", sequence, bus::ReadFrom::kLeader);
  if (!message || message->sequence != sequence) co_return std::nullopt;
  co_return streamed(*message);
}

loop::Task<std::optional<StreamedCall>> among_session(const StreamSearch& search,
                                                      SessionKey session, CallId id, Range range,
                                                      MonotonicTime give_up) {
  const std::string filter = proto::session_calls_filter(session);
  std::uint64_t next = range.floor + 1;
  while (next <= range.end && search.clock.monotonic() < give_up) {
    const auto message =
        co_await search.bus.next_message(proto::kCallsStream, filter, next, bus::ReadFrom::kLeader);
    if (!message || message->sequence > range.end) co_return std::nullopt;
    auto found = streamed(*message);
    if (found && found->call.call_id == id.text()) co_return found;
    next = message->sequence + 1;
  }
  co_return std::nullopt;
}

/// One that has started has an event, whose subject ends with its id.
loop::Task<std::optional<StreamedCall>> by_event(loop::AsyncBus& bus, CallId id) {
  const auto range = co_await unrecorded_range(bus, proto::kEventsStream);
  if (!range || !range->searchable()) co_return std::nullopt;
  const auto message = co_await bus.next_message(proto::kEventsStream, "event.*.*." + id.text(),
                                                 range->floor + 1, bus::ReadFrom::kLeader);
  if (!message) co_return std::nullopt;
  const auto event = proto::decode_event(message->payload);
  if (!event) co_return std::nullopt;
  StreamedCall found;
  found.call = call_of(*event);
  co_return found;
}

/// Whether a session of another key has its name, or none has.
loop::Task<bool> is_of_deleted_session(sessions::Sessions& sessions, wire::Caller caller,
                                       const StreamedCall& call) {
  const auto session = co_await sessions.find(caller, call.call.session_id);
  if (!session) co_return session.error().error.code == ErrorCode::kUnknownSession;
  co_return (*session)->record.session_key() != call.call.session_key;
}

loop::Task<std::optional<StreamedCall>> search_streams(const StreamSearch& search,
                                                       wire::Caller caller, CallId id,
                                                       MonotonicTime give_up) {
  if (const auto sequence = search.accepted_here.find(id)) {
    auto found = co_await at(search.bus, *sequence);
    if (is_it(found, caller, id)) co_return found;
  }
  auto found = co_await by_event(search.bus, id);
  if (found && !is_it(found, caller, id)) co_return std::nullopt;
  const auto range = co_await unrecorded_range(search.bus, proto::kCallsStream);
  if (!range || !range->searchable()) co_return found;
  std::vector<SessionKey> sessions;
  if (found) {
    if (auto session = SessionKey::parse(found->call.session_key))
      sessions.push_back(std::move(*session));
  } else {
    sessions = search.sessions.used_last(caller, kMaxSessions);
  }
  for (const SessionKey& session : sessions) {
    auto request = co_await among_session(search, session, id, *range, give_up);
    if (is_it(request, caller, id)) co_return request;
  }
  co_return found;
}

}  // namespace

loop::Task<std::optional<StreamedCall>> find_in_streams(const StreamSearch& search,
                                                        wire::Caller caller, CallId id,
                                                        MonotonicTime give_up) {
  auto found = co_await search_streams(search, caller, std::move(id), give_up);
  if (!found) co_return found;
  const bool deleted = co_await is_of_deleted_session(search.sessions, std::move(caller), *found);
  if (deleted) found.reset();
  co_return found;
}

loop::Task<std::optional<StreamedCall>> accepted_lately(const StreamSearch& search,
                                                        wire::Caller caller, CallId id,
                                                        std::chrono::milliseconds young) {
  const auto sequence = search.accepted_here.find(id);
  if (!sequence) co_return std::nullopt;
  auto found = co_await at(search.bus, *sequence);
  if (!is_it(found, caller, id) || !found->stored_at) co_return std::nullopt;
  if (search.clock.wall() - *found->stored_at > young) co_return std::nullopt;
  co_return found;
}

loop::Task<UnrecordedCalls> unrecorded_calls(loop::AsyncBus& bus, const Clock& clock,
                                             SessionKey session, MonotonicTime give_up) {
  UnrecordedCalls found;
  const auto range = co_await unrecorded_range(bus, proto::kCallsStream);
  if (!range) co_return found;
  const std::string filter = proto::session_calls_filter(session);
  std::uint64_t next = range->floor + 1;
  while (next <= range->end) {
    if (found.calls.size() >= kMaxUnrecordedCalls || clock.monotonic() >= give_up) co_return found;
    const auto message =
        co_await bus.next_message(proto::kCallsStream, filter, next, bus::ReadFrom::kLeader);
    if (!message && message.error().code != ErrorCode::kNotFound) co_return found;
    if (!message || message->sequence > range->end) break;
    if (auto call = streamed(*message)) found.calls.push_back(std::move(*call));
    next = message->sequence + 1;
  }
  found.all = true;
  co_return found;
}

}  // namespace toolway::gateway::calls
