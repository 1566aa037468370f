#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/bus.h"

namespace toolway::persistence::store {

struct LookupOptions {
  std::string postgres_url;  ///< never logged
  std::size_t batch_size = 200;
  /// Kept short: the worker that asks has given up by then.
  std::chrono::milliseconds statement_timeout{400};
};

/// Answers what workers ask about calls whose events have left the stream (`lookup`), from
/// Postgres, on a thread of its own. While Postgres or the bus does not answer it says
/// nothing, and the worker that asked gives the call back for later. Ends when destroyed. Bus and
/// clock must outlive it.
class LookupService {
 public:
  virtual ~LookupService() = default;
};

/// Errors: kBusUnavailable.
Result<std::unique_ptr<LookupService>> serve_lookups(bus::Bus& bus, const Clock& clock,
                                                     LookupOptions options);

}  // namespace toolway::persistence::store
