#include "gateway/mailbox/recorded.h"

#include <algorithm>

#include "gateway/loop/task_group.h"
#include "proto/subjects.h"

namespace toolway::gateway::mailbox {
namespace {

using std::chrono::milliseconds;

/// For answers that are on their way when the patience has ended.
constexpr std::chrono::seconds kLastAnswer{1};

/// Whether something that matches lies above `floor`, and not above `end`.
loop::Task<Recorded> compare(loop::AsyncBus& bus, std::string_view stream,
                             const std::string& filter, std::uint64_t floor, std::uint64_t end) {
  if (floor >= end) co_return Recorded::kAll;
  const auto next = co_await bus.next_message(stream, filter, floor + 1, bus::ReadFrom::kLeader);
  if (next) co_return next->sequence > end ? Recorded::kAll : Recorded::kNotYet;
  co_return next.error().code == ErrorCode::kNotFound ? Recorded::kAll : Recorded::kUnknown;
}

loop::Task<Recorded> ask_until(const RecordWatch& watch, std::string_view stream,
                               std::string filter, MonotonicTime give_up) {
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto states = asked.start(watch.bus.stream_state(stream));
  const auto collectors = asked.start(watch.bus.collector_state(stream));
  co_await asked.wait();
  const auto& state = *states;
  auto& collector = *collectors;
  if (!state || !*state) co_return Recorded::kUnknown;
  const std::uint64_t end = (*state)->last_sequence;
  auto delay = milliseconds(2);
  for (;;) {
    if (!collector || (!*collector && collector->error().code != ErrorCode::kNotFound)) {
      co_return Recorded::kUnknown;
    }
    const std::uint64_t floor = *collector ? (*collector)->ack_floor : 0;
    const auto found = co_await compare(watch.bus, stream, filter, floor, end);
    if (found != Recorded::kNotYet || watch.clock.monotonic() >= give_up || watch.drain.begun()) {
      co_return found;
    }
    co_await loop::pause(delay);
    delay = std::min(delay * 2, milliseconds(50));
    auto again = co_await watch.bus.collector_state(stream);
    collector.emplace(std::move(again));
  }
}

loop::Task<Recorded> await_both(const RecordWatch& watch, std::string calls_filter,
                                std::string events_filter, milliseconds patience) {
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto calls =
      asked.start(await_recorded(watch, proto::kCallsStream, std::move(calls_filter), patience));
  const auto events =
      asked.start(await_recorded(watch, proto::kEventsStream, std::move(events_filter), patience));
  co_await asked.wait();
  // The worse of the two.
  co_return std::max(calls->value_or(Recorded::kUnknown), events->value_or(Recorded::kUnknown));
}

}  // namespace

loop::Task<Recorded> await_recorded(const RecordWatch& watch, std::string_view stream,
                                    std::string filter, milliseconds patience) {
  const MonotonicTime give_up = watch.clock.monotonic() + patience;
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto recorded = asked.start(ask_until(watch, stream, std::move(filter), give_up));
  co_await asked.wait(patience + kLastAnswer);
  co_return recorded->value_or(Recorded::kUnknown);
}

loop::Task<Recorded> await_session_recorded(const RecordWatch& watch, SessionKey session,
                                            milliseconds patience) {
  return await_both(watch, proto::session_calls_filter(session),
                    proto::session_events_filter(session), patience);
}

loop::Task<Recorded> await_all_recorded(const RecordWatch& watch, milliseconds patience) {
  return await_both(watch, "call.>", "event.>", patience);
}

}  // namespace toolway::gateway::mailbox
