#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "extensions/chain/extension_types.h"
#include "monitoring/metrics.h"

namespace toolway::extensions::chain {

/// Counts and times what the extensions of a process do, and logs at most once a minute for each
/// why it fails. Thread-safe; `metrics` and `clock` must outlive it.
class ChainMetrics {
 public:
  enum class Phase { kBefore, kAfter };

  ChainMetrics(monitoring::Metrics& metrics, const Clock& clock,
               std::span<const ExtensionType> types = extension_types());

  void allowed(std::string_view extension);
  void refused(std::string_view extension);
  void held(std::string_view extension);
  void failed(std::string_view extension, OnFailure on_failure, std::string_view why);
  void took(std::string_view extension, Phase phase, std::chrono::nanoseconds time);
  MonotonicTime now() const { return clock_.monotonic(); }

 private:
  struct Instruments {
    monitoring::Counter& allowed;
    monitoring::Counter& refused;
    monitoring::Counter& held;
    monitoring::Counter& failed;
    monitoring::Histogram& before;
    monitoring::Histogram& after;
  };
  /// Made at first use: a fleet without a policy has no series of it.
  struct Kept {
    std::once_flag once;
    std::optional<Instruments> instruments;
  };
  const Instruments& of(std::string_view extension);

  monitoring::Metrics& metrics_;
  const Clock& clock_;
  std::map<std::string, Kept, std::less<>> kept_;  ///< by extension; gets no more
  Mutex mutex_;
  std::map<std::string, MonotonicTime, std::less<>> logged_ GUARDED_BY(mutex_);
};

}  // namespace toolway::extensions::chain
