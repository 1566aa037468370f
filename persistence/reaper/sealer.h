#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/seal_keys.h"
#include "bus/bus.h"
#include "monitoring/metrics.h"
#include "persistence/audit/anchor.h"

namespace toolway::persistence::reaper {

struct SealerOptions {
  std::string postgres_url;      ///< never logged
  std::optional<SealKeys> keys;  ///< nothing: records of the audit are not sealed
  unsigned keep_days = 0;        ///< records of earlier days are dropped; 0: never
  std::chrono::milliseconds every{1000};
  /// An operator says that the database was put back, and that this is its last seal.
  std::optional<audit::Anchor> continues_from{};
};

/// Seals what the collectors record of the audit: docs/audit.md. Every collector runs one, and the
/// one that holds a lock in Postgres acts; two at once do no harm, since a seal's number is taken
/// once. Has a thread and a connection of its own; ends when destroyed. Metrics
/// and clock must outlive it.
class Sealer {
 public:
  virtual ~Sealer() = default;
};

std::unique_ptr<Sealer> start_sealer(bus::Bus& bus, monitoring::Metrics& metrics,
                                     const Clock& clock, SealerOptions options);

}  // namespace toolway::persistence::reaper
