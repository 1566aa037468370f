#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"

namespace toolway::gateway::admission {

/// Which limits refuse calls at the moment, and since when: for who asks why. Pure; on one thread.
class LimitRefusals {
 public:
  /// Without a refusal for this long, a limit no longer refuses.
  static constexpr std::chrono::seconds kLasts{10};
  static constexpr std::size_t kMax = 10'000;

  void note(const std::string& key, MonotonicTime now, WallTime wall);
  /// Since when the limit refuses what it counts under `key`; nothing: it does not.
  std::optional<WallTime> since(const std::string& key, MonotonicTime now) const;

 private:
  struct Refusing {
    WallTime since{};
    MonotonicTime last{};
  };
  std::map<std::string, Refusing> refusing_;
};

}  // namespace toolway::gateway::admission
