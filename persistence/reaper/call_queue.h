#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bus/settled_consumers.h"
#include "persistence/reaper/reap.h"
#include "persistence/reaper/watched_calls.h"

namespace toolway::persistence::reaper {

/// What the reaper knows of CALLS: its window, the durables of pools, and how far each is
/// acknowledged. Asks the bus and waits. One thread, none of the bus's.
class CallQueue {
 public:
  explicit CallQueue(bus::StreamReader& bus) : bus_(bus) {}

  /// Asks again. Errors: those of the bus; what was known then stays.
  Result<void> refresh();
  /// Whether a call that no worker began certainly still waits in its queue: no query needed.
  bool surely_queued(const WatchedCall& call) const;
  /// Where the newest message of a call is on CALLS.
  QueueState state_of(const store::EventPosition& published) const;
  /// Where a call is published again: lane normal, in the partition that a gateway would take.
  /// Errors: kPoolUnavailable, when its pool has no durable.
  Result<std::string> subject_of(const v1::CallRequest& request) const;

 private:
  struct Pool {
    unsigned normal = 0;  ///< partitions whose durable of lane normal exists
    unsigned bulk = 0;
    std::uint64_t highest_delivered = 0;  ///< what comes after it was given to no worker
  };
  Result<bus::ConsumerState> ask(const std::string& durable);

  bus::StreamReader& bus_;
  bus::SettledConsumers settled_;
  bus::StreamState stream_;
  std::map<std::string, std::uint64_t> floors_;  ///< by durable
  std::map<std::string, Pool> pools_;
};

}  // namespace toolway::persistence::reaper
