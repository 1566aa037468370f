#pragma once

#include <memory>

#include "base/clock.h"
#include "bus/bus.h"
#include "monitoring/metrics.h"
#include "persistence/reaper/reaper_options.h"

namespace toolway::persistence::reaper {

/// Ends what nothing else ends: see docs/operations/reaper.md. Every collector runs one, and the
/// one that holds a lock in Postgres acts. Two that act at once do no harm: all they write is
/// compare-and-set or has a message id. Has a thread and a connection of its own; ends when
/// destroyed. Bus, metrics and clock must outlive it.
class Reaper {
 public:
  virtual ~Reaper() = default;
};

std::unique_ptr<Reaper> start_reaper(bus::Bus& bus, monitoring::Metrics& metrics,
                                     const Clock& clock, ReaperOptions options);

}  // namespace toolway::persistence::reaper
