#include "bus/unrecorded.h"

#include <utility>

#include "base/contained.h"
#include "bus/lost_answer.h"
#include "bus/settled_consumers.h"
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

struct RecordingMeter::State : std::enable_shared_from_this<State> {
  using Handler = std::function<void(Result<Unrecorded>)>;

  State(StreamReader& reader, const Clock& shared_clock, std::string name)
      : bus(reader), clock(shared_clock), stream(std::move(name)) {}

  void ask_collector(const StreamState& found, const Handler& handler) {
    auto told = [self = shared_from_this(), found, handler](Result<ConsumerState> collector) {
      if (!collector) return handler(fail(std::move(collector.error())));
      // Without memory for it, it is asked again.
      contained("what a collector has recorded",
                [&] { self->settled.answered(std::string(proto::kCollectorDurable), *collector); });
      self->ask_age(found, *collector, handler);
    };
    bus.consumer_state({stream, std::string(proto::kCollectorDurable)}, std::move(told));
  }

  void ask_age(const StreamState& found, const ConsumerState& collector, const Handler& handler) {
    const auto first = first_unrecorded(found, collector);
    if (!first) return handler(unrecorded(found, collector, {}));
    ask_or_lost(handler, [&] {
      auto told = [&clock = clock, found, collector, handler](Result<StoredMessage> oldest) {
        if (!oldest) {
          if (oldest.error().code != ErrorCode::kNotFound)
            return handler(fail(std::move(oldest.error())));
          return handler(unrecorded(found, collector, {}));
        }
        const auto age = clock.wall() - oldest->stored_at;
        handler(unrecorded(found, collector,
                           std::chrono::duration_cast<std::chrono::milliseconds>(age)));
      };
      bus.next_message(stream, ">", *first, ReadFrom::kAnyReplica, std::move(told));
    });
  }

  StreamReader& bus;
  const Clock& clock;
  const std::string stream;
  SettledConsumers settled;  ///< touched by answers only
};

RecordingMeter::RecordingMeter(StreamReader& bus, const Clock& clock, std::string stream)
    : state_(std::make_shared<State>(bus, clock, std::move(stream))) {}

void RecordingMeter::measure(std::function<void(Result<Unrecorded>)> handler) {
  auto told = [state = state_, handler = std::move(handler)](Result<StreamState> found) {
    if (!found) return handler(fail(std::move(found.error())));
    state->settled.look(*found);
    if (const auto collector = state->settled.find(proto::kCollectorDurable))
      return handler(unrecorded(*found, *collector, {}));
    ask_or_lost(handler, [&] { state->ask_collector(*found, handler); });
  };
  state_->bus.stream_state(state_->stream, std::move(told));
}

}  // namespace toolway::bus
