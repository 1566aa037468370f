#include "bus/unrecorded.h"

#include "bus/lost_answer.h"
#include "proto/subjects.h"

namespace toolway::bus {

std::optional<std::uint64_t> first_unrecorded(const StreamState& stream,
                                              const ConsumerState& collector) {
  if (stream.messages == 0 || (collector.pending == 0 && collector.ack_pending == 0))
    return std::nullopt;
  const std::uint64_t first = std::max(stream.first_sequence, collector.ack_floor + 1);
  if (first > stream.last_sequence) return std::nullopt;
  return first;
}

Unrecorded unrecorded(const StreamState& stream, const ConsumerState& collector,
                      std::chrono::milliseconds oldest_age) {
  Unrecorded part{.stream = stream};
  const auto first = first_unrecorded(stream, collector);
  if (!first) return part;
  part.messages = collector.pending + collector.ack_pending;
  part.oldest_age = std::max(oldest_age, std::chrono::milliseconds(0));
  if (stream.max_bytes > 0) {
    // Assumes messages of equal size: the server does not report the bytes of a part.
    const auto behind = std::min(stream.last_sequence - *first + 1, stream.messages);
    const double bytes = static_cast<double>(stream.bytes) * static_cast<double>(behind) /
                         static_cast<double>(stream.messages);
    part.bytes = bytes / static_cast<double>(stream.max_bytes);
  }
  if (stream.max_age.count() > 0) {
    part.age =
        static_cast<double>(part.oldest_age.count()) / static_cast<double>(stream.max_age.count());
  }
  return part;
}

void measure_unrecorded(StreamReader& bus, const Clock& clock, std::string stream,
                        std::function<void(Result<Unrecorded>)> handler) {
  auto with_collector = [&bus, &clock, stream, handler](const StreamState& state,
                                                        Result<ConsumerState> collector) {
    if (!collector) return handler(fail(std::move(collector.error())));
    const auto first = first_unrecorded(state, *collector);
    if (!first) return handler(unrecorded(state, *collector, {}));
    ask_or_lost(handler, [&] {
      bus.next_message(
          stream, ">", *first, ReadFrom::kAnyReplica,
          [&clock, state, collector = *collector, handler](Result<StoredMessage> oldest) {
            if (!oldest) {
              if (oldest.error().code != ErrorCode::kNotFound)
                return handler(fail(std::move(oldest.error())));
              return handler(unrecorded(state, collector, {}));
            }
            const auto age = clock.wall() - oldest->stored_at;
            handler(unrecorded(state, collector,
                               std::chrono::duration_cast<std::chrono::milliseconds>(age)));
          });
    });
  };
  bus.stream_state(stream, [&bus, stream, handler, with_collector](Result<StreamState> state) {
    if (!state) return handler(fail(std::move(state.error())));
    ask_or_lost(handler, [&] {
      bus.consumer_state({stream, std::string(proto::kCollectorDurable)},
                         [state = *state, with_collector](Result<ConsumerState> collector) {
                           with_collector(state, std::move(collector));
                         });
    });
  });
}

}  // namespace toolway::bus
