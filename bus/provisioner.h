#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::bus {

/// One pool of workers, as provisioning needs it.
struct PoolLayout {
  std::string name;
  unsigned partitions = 1;
};

/// What `provision` makes sure of.
struct Layout {
  std::vector<PoolLayout> pools;
  unsigned replicas = 1;
  std::int64_t max_bytes = 1LL << 30;  ///< of each of CALLS, EVENTS and BLOBS
  std::chrono::hours max_age{24};      ///< likewise
};

/// Makes what the others use. Threads: as of `Bus`.
class Provisioner {
 public:
  virtual ~Provisioner() = default;
  /// Makes streams, buckets and durables what `layout` says. Idempotent; may
  /// block for seconds. Errors: kBusUnavailable; kInvalidRequest, where the server runs alone and
  /// `replicas` are more than 1; kInternal with the server's words.
  virtual Result<void> provision(const Layout& layout) = 0;
};

}  // namespace toolway::bus
