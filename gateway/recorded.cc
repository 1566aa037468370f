#include "gateway/recorded.h"

#include <algorithm>

#include "gateway/together.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Whether something that matches lies above `floor`, and not above `end`.
Task<Recorded> compare(Services& services, std::string_view stream, const std::string& filter,
                       std::uint64_t floor, std::uint64_t end) {
  if (floor >= end) co_return Recorded::kAll;
  const auto next = co_await services.bus.next_message(stream, filter, floor + 1);
  if (next) co_return next->sequence > end ? Recorded::kAll : Recorded::kNotYet;
  co_return next.error().code == ErrorCode::kNotFound ? Recorded::kAll : Recorded::kUnknown;
}

}  // namespace

Task<Recorded> await_recorded(Services& services, std::string_view stream, std::string filter,
                              milliseconds patience) {
  const auto give_up = steady_clock::now() + patience;
  std::optional<Result<bus::StreamState>> state;
  std::optional<Result<bus::ConsumerState>> collector;
  Together asked(services.executor);
  asked.run(services.bus.stream_state(stream), state);
  asked.run(services.bus.collector_state(stream), collector);
  co_await asked.all();
  if (!state || !*state) co_return Recorded::kUnknown;
  const std::uint64_t end = (*state)->last_sequence;
  auto delay = milliseconds(2);
  for (;;) {
    if (!collector || (!*collector && collector->error().code != ErrorCode::kNotFound)) {
      co_return Recorded::kUnknown;
    }
    const std::uint64_t floor = *collector ? (*collector)->ack_floor : 0;
    const auto found = co_await compare(services, stream, filter, floor, end);
    if (found != Recorded::kNotYet || steady_clock::now() >= give_up || services.draining) {
      co_return found;
    }
    co_await pause(services.executor, delay);
    delay = std::min(delay * 2, milliseconds(50));
    auto again = co_await services.bus.collector_state(stream);
    collector.emplace(std::move(again));
  }
}

Task<Recorded> await_session_recorded(Services& services, SessionKey session,
                                      milliseconds patience) {
  std::optional<Recorded> calls;
  std::optional<Recorded> events;
  Together asked(services.executor);
  asked.run(await_recorded(services, proto::kCallsStream, proto::session_calls_filter(session),
                           patience), calls);
  asked.run(await_recorded(services, proto::kEventsStream, proto::session_events_filter(session),
                           patience), events);
  co_await asked.all();
  // The worse of the two.
  co_return std::max(calls.value_or(Recorded::kUnknown), events.value_or(Recorded::kUnknown));
}

}  // namespace toolway::gateway
