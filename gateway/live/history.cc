#include "gateway/live/history.h"

#include "base/try.h"
#include "proto/subjects.h"

namespace toolway::gateway::live {

History::History(loop::AsyncBus& bus, loop::AsyncStore& store, EventScope scope)
    : bus_(bus),
      store_(store),
      scope_(std::move(scope)),
      filter_(scope_.call ? proto::event_subject(scope_.session, *scope_.call)
                          : proto::session_events_filter(scope_.session)) {}

loop::Task<Result<void>> History::ask_end(RecordCursor& cursor) {
  if (cursor.next() != RecordCursor::Step::kAskEnd) co_return Result<void>();
  CO_ASSIGN_OR_RETURN(const auto end, co_await bus_.events_end());
  co_return cursor.end_is(end.stream, end.recorded);
}

loop::Task<Result<void>> History::read_page(RecordCursor& cursor) {
  using Step = RecordCursor::Step;
  Result<void> read;
  while (read) {
    switch (cursor.next()) {
      case Step::kAskEnd: read = co_await ask_end(cursor); break;
      case Step::kReadStore: read = co_await from_store(cursor); break;
      case Step::kReadStream:
      case Step::kReadLeader: {
        const auto from = cursor.next() == Step::kReadLeader ? bus::ReadFrom::kLeader
                                                             : bus::ReadFrom::kAnyReplica;
        auto message = co_await bus_.next_message(proto::kEventsStream, filter_,
                                                  cursor.at().sequence + 1, from);
        read = cursor.from_stream(std::move(message));
        break;
      }
      case Step::kTake: co_return read;
    }
  }
  co_return read;
}

loop::Task<Result<void>> History::from_store(RecordCursor& cursor) {
  auto read = [scope = scope_, after = cursor.at(),
               limit = cursor.limit()](persistence::store::StoreReader& store) {
    return scope.call ? store.events_of_call(*scope.call, after, limit)
                      : store.events_of_session(scope.session, after, limit);
  };
  auto page = co_await store_.run<RecordCursor::Page>(std::move(read));
  co_return cursor.from_store(std::move(page));
}

}  // namespace toolway::gateway::live
