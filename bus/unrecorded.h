#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "bus/stream_reader.h"

/// How near a stream is to discarding what is not in Postgres yet. Streams are a window that
/// forgets its oldest messages; the collectors' acknowledgements say what is recorded.
namespace toolway::bus {

/// Of the bytes and of the time that a stream keeps, the part between its end
/// and its oldest message that is not recorded. 1 and above: that message is about to be discarded.
struct Unrecorded {
  double bytes = 0;
  double age = 0;
  std::uint64_t messages = 0;               ///< that are not recorded
  std::chrono::milliseconds oldest_age{0};  ///< of the oldest of them
  StreamState stream{};                     ///< as it was then
  double worst() const { return std::max(bytes, age); }
};

/// Above it gateways accept no calls …
inline constexpr double kRefuseAbove = 1.0 / 2;
/// … and workers, whose results need room as well, pull none,
inline constexpr double kPauseAbove = 3.0 / 4;
/// until it is below this again.
inline constexpr double kResumeBelow = 5.0 / 8;

/// The first sequence that may not be recorded; nothing when all is. `collector` is the state of
/// the stream's durable of that name.
std::optional<std::uint64_t> first_unrecorded(const StreamState& stream,
                                              const ConsumerState& collector);

/// `oldest_age`: of the message at `first_unrecorded`; 0 when there is none, or a clock is slow.
/// A stream without a bound never comes near it.
Unrecorded unrecorded(const StreamState& stream, const ConsumerState& collector,
                      std::chrono::milliseconds oldest_age);

/// Measures one stream, again and again. Its collector is asked only if it may have moved.
class RecordingMeter {
 public:
  /// `clock` must outlive the bus.
  RecordingMeter(StreamReader& bus, const Clock& clock, std::string stream);

  /// Asks the bus and hands out the answer, once, on a thread of the bus; not before the last one
  /// was handed out. Errors: as of the bus; kNotFound without stream or durable.
  void measure(std::function<void(Result<Unrecorded>)> handler);

 private:
  struct State;
  std::shared_ptr<State> state_;  // answers may come when the meter is gone
};

}  // namespace toolway::bus
