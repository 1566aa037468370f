#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/seal_keys.h"
#include "monitoring/metrics.h"

namespace toolway::persistence::reaper {

struct SealerOptions {
  std::string postgres_url;      ///< never logged
  std::optional<SealKeys> keys;  ///< nothing: records of the audit are not sealed
  unsigned keep_days = 0;        ///< records of earlier days are dropped; 0: never
  std::chrono::milliseconds every{1000};
};

/// Seals what the collectors record of the audit: docs/audit.md. Every collector runs one, and the
/// one that holds a lock in Postgres acts; two at once do no harm, since a seal's number is taken
/// once. Has a thread and a connection of its own; ends when destroyed. Metrics
/// and clock must outlive it.
class Sealer {
 public:
  virtual ~Sealer() = default;
};

std::unique_ptr<Sealer> start_sealer(monitoring::Metrics& metrics, const Clock& clock,
                                     SealerOptions options);

}  // namespace toolway::persistence::reaper
