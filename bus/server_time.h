#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "bus/bus.h"
#include "bus/server_clock.h"

namespace toolway::bus {

/// The bucket into which each process writes to learn when the server stored it.
inline constexpr std::string_view kClocksBucket = "clocks";
inline constexpr std::string_view kClocksStream = "KV_clocks";

/// Reads the server's time: stores an empty entry and asks when it was stored. Every nats-server
/// that we support says that much, but no more. Blocks for a second or two at most; not for threads
/// of the bus. Errors: kTimeout, kBusUnavailable (also when the bucket is missing), kInternal.
Result<void> read_server_time(Bus& bus, ServerClock& clock, const std::string& key);

/// Reads the server's time every 5 s on a thread of its own until destroyed, and sooner when the
/// machine's clock has jumped: it was set, or the machine slept, during which the monotonic clock
/// stopped. Calls `after` each time, whether there was an answer or not. Bus and clock must outlive
/// it.
class ServerTime {
 public:
  using After = std::function<void(const Result<void>&)>;
  ServerTime(Bus& bus, ServerClock& clock, std::string key, After after);

 private:
  void run(const std::stop_token& stop);

  static constexpr std::chrono::seconds kMeasureInterval{5};
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::milliseconds kMinClockJump{500};
  Bus& bus_;
  ServerClock& clock_;
  const std::string key_;
  const After after_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace toolway::bus
