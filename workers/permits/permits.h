#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bus/bus.h"
#include "monitoring/metrics.h"
#include "workers/permits/permit_table.h"

namespace toolway::workers::permits {

/// Of a call's permits while it has them; 0: none.
using PermitId = std::uint64_t;

/// A limit on running calls that was full here in the last seconds.
struct FullLimit {
  PermitAsked asked;
  WallTime since{};
};

/// The permits under which a worker's calls run, when the policy limits how many may: taken by
/// compare-and-set on the bucket `permits` before a tool starts, renewed while it runs, given back
/// when it has ended. What is full is known from memory: the bucket is followed, once a policy has
/// such limits. Before that nothing is asked of the bus. Thread-safe.
class Permits {
 public:
  struct Options {
    std::string worker_id;
    std::chrono::seconds renew_interval{10};
  };
  /// Bus, clock and metrics must outlive `close`.
  Permits(bus::Bus& bus, const Clock& clock, monitoring::Metrics& metrics, Options options);
  ~Permits();
  Permits(const Permits&) = delete;
  Permits& operator=(const Permits&) = delete;

  /// Whether a call has room under all of these, as far as is known here. What has none counts as
  /// given back.
  enum class Room { kFree, kFull };
  Room look(std::span<const PermitAsked> asked);

  enum class Taken {
    kGranted,
    kFull,    ///< other calls have them all
    kFailed,  ///< the bus does not answer, or has no such bucket
  };
  struct Answer {
    Taken taken = Taken::kFailed;
    PermitId permit = 0;  ///< kGranted: must be released
    std::string why{};    ///< kFailed
  };
  /// Takes a permit of each, or none. `lost` is called if they cannot be renewed while they are
  /// held: the call must stop. Both run without a lock, on a thread of the bus, on the caller's, or
  /// on that of `upkeep`.
  struct Taking {
    std::vector<PermitAsked> asked;
    std::string call_id;
    std::function<void()> lost;
    std::function<void(Answer)> answered;
  };
  void take(Taking taking);
  /// Ignored when it was released before.
  void release(PermitId permit);

  /// Follows the bucket, and renews what is due. Every second. `wanted`: a policy limits what runs.
  void upkeep(bool wanted);
  /// What was full in the last seconds, at most 16.
  std::vector<FullLimit> full() const;

  /// Nothing is asked, and none of the functions is called, any more.
  void close();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace toolway::workers::permits
