#pragma once

#include <memory>
#include <thread>

#include "base/mutex.h"
#include "base/silence.h"
#include "bus/bus.h"

namespace toolway::cli::process {

/// Asks JetStream every second how the streams of calls and events are, so that a process knows
/// whether it answers without asking. Thread-safe; the bus must outlive it.
class BusProbe {
 public:
  static constexpr std::chrono::seconds kProbeInterval{1};
  /// The same as a gateway's (gateway/admission/guard.h).
  static constexpr std::chrono::seconds kSilent{5};

  explicit BusProbe(bus::Bus& bus);
  ~BusProbe();
  BusProbe(const BusProbe&) = delete;
  BusProbe& operator=(const BusProbe&) = delete;

  /// Errors: kBusUnavailable, in words for /readyz.
  Result<void> ready() const;

 private:
  /// Shared with handlers, which may run after this object is gone.
  struct State {
    mutable Mutex mutex;
    CondVar ending_changed;
    Silence silence GUARDED_BY(mutex);
    bool asking GUARDED_BY(mutex) = false;
    bool ending GUARDED_BY(mutex) = false;
  };
  void run();
  void ask();
  static void answered(State& state, const Result<bus::StreamState>& answer,
                       MonotonicTime asked_at);

  bus::Bus& bus_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;
};

}  // namespace toolway::cli::process
