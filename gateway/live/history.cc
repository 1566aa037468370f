#include "gateway/live/history.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {

using persistence::Page;
using persistence::PageLimit;
using persistence::RecordedEvent;

History::History(AsyncBus& bus, AsyncStore& store, EventScope scope, EventPosition after)
    : bus_(bus), store_(store), scope_(std::move(scope)), at_(after) {}

Task<Result<void>> History::begin() {
  const auto end = co_await bus_.events_end();
  if (!end) co_return fail(end.error());
  end_ = {end->stream.incarnation, end->stream.last_sequence};
  first_ = end->stream.first_sequence;
  if (at_.incarnation > end_.incarnation) {
    co_return fail(ErrorCode::kInvalidCursor, "the cursor was not made by this service");
  }
  // What has left the stream can only be in the store, even if the collectors' floor is lower: one message that a
  // killed collector had keeps the floor back while thousands after it are recorded.
  floor_ = {end->stream.incarnation, std::max(end->recorded, first_ > 0 ? first_ - 1 : 0)};
  source_ = at_ < floor_ ? Source::kStore : Source::kStream;
  co_return Result<void>();
}

Task<Result<Page<RecordedEvent>>> History::next(PageLimit limit) {
  if (source_ == Source::kStore) {
    auto events = co_await from_store(limit);
    if (events && !events->empty()) co_return events;
    if (!events) {
      // Without the store the stream will do, if it still has everything that is needed.
      const bool same_life = at_.incarnation == end_.incarnation;
      const bool from_start = at_.incarnation == 0;
      const std::uint64_t needed = same_life ? at_.sequence + 1 : 1;
      if ((!same_life && !from_start) || first_ > needed) co_return events;
      spdlog::warn("the database cannot be read, so events come from the stream alone: {}", events.error().message);
    } else if (at_ < floor_) {
      at_ = floor_;
    }
    source_ = Source::kStream;
  }
  if (at_.incarnation != end_.incarnation) at_ = {end_.incarnation, 0};
  if (!(at_ < end_)) co_return Page<RecordedEvent>();
  const EventPosition from = at_;
  auto events = co_await from_stream(limit);
  if (!events) co_return events;
  const auto now = co_await bus_.events_end();
  if (!now) co_return fail(now.error());
  if (now->stream.first_sequence <= std::max(first_, from.sequence + 1)) co_return events;
  // Some may have left the stream before they were read; the store has them.
  at_ = from;
  if (auto again = co_await begin(); !again) co_return fail(std::move(again.error()));
  co_return co_await next(limit);
}

Task<Result<Page<RecordedEvent>>> History::from_store(PageLimit limit) {
  auto read = [scope = scope_, after = at_, limit](persistence::StoreReader& store) {
    return scope.call ? store.events_of_call(*scope.call, after, limit)
                      : store.events_of_session(scope.session, after, limit);
  };
  auto events = co_await store_.run<Page<RecordedEvent>>(std::move(read));
  if (!events) co_return events;
  // Above the floor rows may be missing between others: that part is read from the stream.
  while (!events->empty() && events->back().position > floor_) events->pop_back();
  if (!events->empty()) at_ = events->back().position;
  co_return events;
}

Task<Result<Page<RecordedEvent>>> History::from_stream(PageLimit limit) {
  Page<RecordedEvent> events;
  std::size_t bytes = 0;
  const auto filter = scope_.call ? proto::event_subject(scope_.session, *scope_.call)
                                  : proto::session_events_filter(scope_.session);
  while (events.size() < limit.rows && bytes < limit.bytes && at_.sequence < end_.sequence) {
    auto message = co_await bus_.next_message(proto::kEventsStream, filter, at_.sequence + 1,
                                              bus::ReadFrom::kAnyReplica);
    if (!message && message.error().code == ErrorCode::kNotFound) {
      // A replica that lags does not know the stream's end yet, which the leader has told us.
      message = co_await bus_.next_message(proto::kEventsStream, filter, at_.sequence + 1,
                                           bus::ReadFrom::kLeader);
    }
    if (!message) {
      if (message.error().code != ErrorCode::kNotFound) co_return fail(std::move(message.error()));
      at_ = end_;
      break;
    }
    if (message->sequence > end_.sequence) {
      at_ = end_;
      break;
    }
    at_.sequence = message->sequence;
    auto event = proto::decode_event(message->payload);
    if (!event) {
      spdlog::warn("event {} cannot be read: {}", message->sequence, event.error().message);
      continue;
    }
    bytes += message->payload.size();
    events.push_back({at_, std::move(*event)});
  }
  co_return events;
}

}  // namespace toolway::gateway
