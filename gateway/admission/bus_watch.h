#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/silence.h"
#include "bus/settled_consumers.h"
#include "gateway/admission/fleet_shares.h"
#include "gateway/admission/guard.h"
#include "gateway/admission/oldest_calls.h"
#include "gateway/admission/queue_metrics.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/loop/async_bus.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/problem.h"
#include "monitoring/gauge_part.h"
#include "monitoring/metrics.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::admission {

/// Asks the bus every second how its streams and queues are, and decides from that, without
/// asking again, whether to accept a call and where it is queued. A queue that gets many calls
/// is asked more often, so that one session's burst is noticed while it comes. On the
/// io_context's thread.
class BusWatch {
 public:
  /// What a call's share depends on besides its queues.
  struct Fleet {
    WorkerRoster& workers;
    const FleetShares& shares;
  };
  BusWatch(loop::AsyncBus& bus, const Clock& clock, monitoring::Metrics& metrics, GuardCaps caps,
           Fleet fleet, loop::Executor executor);

  /// Asks until `stop`.
  loop::Task<void> run();
  void stop();
  /// Does not wait for the next second: the connection is back.
  void ask_now() { timer_.cancel(); }

  /// Whether NATS is connected, and JetStream answers.
  BusHealth health() const;
  /// Where this call must be queued. Errors: those of guard.h.
  wire::HttpResult<QueuePlace> admit(const v1::CallRequest& request) const;
  /// Where a call is queued that was admitted before: in the lane `normal` of its pool.
  QueuePlace place_again(const v1::CallRequest& request) const;
  /// It was stored there; `counted` by the limits on waiting calls until a worker gets it.
  void accepted(const v1::CallRequest& request, QueuePlace place, std::uint64_t sequence,
                WaitingPlacePtr counted = nullptr);
  /// Asks every queue that may hold calls of this gateway how far it is; once for all that want
  /// to know at the same time.
  loop::Task<Result<void>> ask_queues_in_use() { return in_use_.ask(); }
  const Shares& shares() const { return shares_; }
  const BusFacts& facts() const { return facts_; }

 private:
  /// A queue's state when its rate was measured.
  struct Sample {
    bus::ConsumerState state;
    MonotonicTime at;
  };
  loop::Task<Result<BusFacts>> ask();
  loop::Task<void> ask_again(std::string durable);
  loop::Task<Result<void>> ask_in_use();
  ShareCaps caps_of(std::string_view pool) const;
  loop::Task<Result<bus::ConsumerState>> ask_queue(std::string durable);
  loop::Task<Result<void>> ask_streams(BusFacts& facts);
  loop::Task<void> ask_buckets(BusFacts& facts);
  loop::Task<void> ask_oldest(const std::string& pool, QueueFacts& queue, bus::StreamState stream);
  void show();

  static constexpr std::chrono::seconds kAskInterval{1};
  /// Of buckets only the size is shown.
  static constexpr std::chrono::seconds kBucketInterval{5};
  /// Of one pool, for its queues to be asked again: what is half of a share, but at most this.
  static constexpr std::uint64_t kManyCalls = 128;
  static constexpr std::chrono::milliseconds kRepeatDelay{50};
  loop::AsyncBus& bus_;
  const Clock& clock_;
  monitoring::Metrics& metrics_;
  const GuardCaps caps_;
  const Fleet fleet_;
  loop::Executor executor_;
  loop::Timer timer_;
  bool stopped_ = false;
  BusFacts facts_;
  Silence silence_;           ///< broken by a whole round of answers: a part of JetStream may hang
  MonotonicTime asked_at_{};  ///< when the current question was asked
  MonotonicTime next_buckets_{};
  bus::SettledConsumers settled_;  ///< of CALLS
  /// Of the streams that collectors record.
  std::vector<std::pair<std::string_view, bus::RecordingMeter>> meters_;
  Shares shares_;
  std::map<std::string, std::uint64_t, std::less<>> slots_;  ///< announced, by pool
  loop::Coalesced<void> in_use_;
  monitoring::GaugePart shares_waiting_;
  OldestCalls oldest_;
  QueueMetrics queue_metrics_;
  std::map<std::string, Sample> samples_;
  std::unordered_map<std::string, MonotonicTime>
      asked_;  ///< by durable: when, or far ahead while it is
  monitoring::Counter& normal_;
  monitoring::Counter& bulk_;
};

}  // namespace toolway::gateway::admission
