#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "persistence/reaper/reap.h"

namespace toolway::persistence::reaper {

/// From the end of one round to the next, where nothing else is configured.
inline constexpr std::chrono::milliseconds kReapInterval{1000};

struct ReaperOptions {
  std::string postgres_url;  ///< never logged
  ReapRules rules;
  std::chrono::milliseconds every = kReapInterval;
  /// Calls younger than this are not searched yet: most are completed by then.
  std::chrono::milliseconds settle{15'000};
  /// How far back to search for calls that are not completed.
  std::chrono::milliseconds window{std::chrono::hours(48)};
  std::chrono::milliseconds session_idle{std::chrono::hours(1)};  ///< 0: sessions never expire
  /// Closed sessions leave the bucket after this long, once they are recorded; 0: only when it is
  /// crowded.
  std::chrono::milliseconds closed_session_keep{std::chrono::hours(24)};
  std::chrono::milliseconds upkeep_every{5000};  ///< of durables
  std::chrono::milliseconds measure_every{
      15'000};  ///< for metrics: the database, the calls of sessions
  /// Whether this machine's clock agrees with the server's: otherwise another collector must reap.
  /// Thread-safe.
  std::function<bool()> clock_is_right = [] { return true; };
};

}  // namespace toolway::persistence::reaper
