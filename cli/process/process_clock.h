#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "bus/server_time.h"
#include "cli/process/stop_signals.h"
#include "monitoring/metrics.h"

namespace toolway::cli::process {

/// The time that a process of a fleet goes by: the NATS server's. Says when the machine's own clock
/// is more than 5 s off. Bus and metrics must outlive it. Thread-safe.
class ProcessClock {
 public:
  /// Waits for the first reading, 10 s at most. Errors: kBusUnavailable with what is wrong,
  /// kShuttingDown when a signal ended the wait. `role` is the process' on NATS.
  static Result<std::unique_ptr<ProcessClock>> start(bus::Bus& bus, monitoring::Metrics& metrics,
                                                     StopSignals& signals, std::string_view role);

  const Clock& clock() const { return server_; }
  /// Whether the machine's own clock agrees with the server's.
  bool right() const { return bus::clock_is_right(server_.ahead()); }
  std::string in_words() const { return bus::clock_in_words(server_.ahead()); }

 private:
  ProcessClock(bus::Bus& bus, monitoring::Metrics& metrics, std::string_view role);
  void tell(const Result<void>& read);

  const SystemClock system_;
  bus::ServerClock server_{system_};
  bus::Bus& bus_;
  monitoring::Gauge& offset_;
  const std::string key_;
  bool was_right_ = true;
  std::unique_ptr<bus::ServerTime> readings_;  // last: its thread uses the others
};

}  // namespace toolway::cli::process
