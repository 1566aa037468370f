#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/messenger.h"
#include "extensions/chain/chain.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/fleet_shares.h"
#include "gateway/admission/limit_refusals.h"
#include "gateway/admission/waiting_counts.h"
#include "gateway/loop/async_bus.h"
#include "gateway/wire/problem.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::admission {

/// What a caller reads when as many calls wait as a limit allows.
Error too_many_wait(const extensions::Limit& limit);

/// Holds calls to the policy's limits on waiting calls, of the whole fleet: it counts its own calls
/// and adds what the other gateways tell on `shares.<gateway>`. A call counts from before it is
/// published until a worker has received it, or until it is decided when it waits for approval.
/// Before it refuses, it asks how far the queues are. On the io_context's thread; must outlive its
/// coroutines.
class WaitingLimits {
 public:
  struct Parts {
    loop::AsyncBus& bus;
    bus::Messenger& messenger;
    std::shared_ptr<loop::IoPost> io_post;
    const Clock& clock;
    BusWatch& queues;
    WaitingCounts& counts;
    FleetShares& fleet;
    LimitRefusals& refusals;
    monitoring::Metrics& metrics;
    extensions::chain::ChainMetrics& chain_metrics;
    loop::Executor executor;
  };
  explicit WaitingLimits(Parts parts);

  /// Counts a call under each of the limits on waiting calls; null: there are none. Errors:
  /// rate_limited.
  loop::Task<wire::HttpResult<WaitingPlacePtr>> take(
      std::span<const extensions::chain::LimitAsked> limits, const v1::CallRequest& call);
  /// It waits for approval.
  void held(const v1::CallRequest& call, WaitingPlacePtr counted);

  /// Listens to the other gateways, unless it already does; forgets those that are gone; tells them
  /// all of its shares; looks which of the held calls have been decided, a few at a time. Every
  /// second.
  void every_second();
  /// Tells and asks nothing more by itself.
  void stop();

 private:
  /// Null: all have room.
  const extensions::Limit* full(std::span<const extensions::chain::LimitAsked> limits,
                                const v1::CallRequest& call) const;
  loop::Task<void> refresh(const extensions::Limit& limit, const v1::CallRequest& call);
  void heard(const std::string& gateway, const v1::SharesTold& told);
  /// Tells of a new call soon, and of those that workers get, until none is counted.
  void begin_telling();
  loop::Task<void> keep_telling();
  /// False: there are none.
  bool tell_changes();
  void tell(const v1::SharesTold& told);

  struct Undecided {
    std::string call_id;
    std::string subject;  ///< of its events
    WallTime expires{};
    WaitingPlacePtr counted;
  };
  /// Takes out of the list those of `keys` (of any, when empty) that no longer wait, looking at
  /// `most`.
  loop::Task<void> look_at(std::string key, std::size_t most);
  loop::Task<void> look_at_some();
  loop::Task<bool> still_waits(const Undecided& held);

  Parts parts_;
  const std::string subject_;
  std::unique_ptr<bus::Subscription> subscription_;
  std::deque<std::shared_ptr<Undecided>> held_;
  /// By key: the queues are not asked again before.
  std::unordered_map<std::string, MonotonicTime> asked_;
  loop::Timer timer_;
  bool telling_ = false;
  bool resting_ = false;  ///< telling, and nothing has changed
  bool looking_ = false;
  bool stopped_ = false;
  bool told_something_ = false;
};

}  // namespace toolway::gateway::admission
