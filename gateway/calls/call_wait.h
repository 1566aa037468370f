#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/calls/call_looks.h"
#include "gateway/live/live_hub.h"
#include "gateway/loop/async_store.h"
#include "gateway/loop/drain.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/wire/user_places.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// What waiting for calls needs.
struct WaitContext {
  loop::AsyncStore& store;
  live::LiveHub& live;
  wire::UserPlaces& places;
  CallLooks& looks;
  wire::MemoryBudget& memory;
  const Clock& clock;
  const loop::Drain& drain;  ///< nothing waits any longer once it has begun
  std::chrono::seconds gap_check{};
};

/// How much memory the completions that one request waits for may take together: each is kept until
/// the last one has arrived. A call whose completion does not fit is answered as still running.
struct WaitRoom {
  std::size_t bytes = 4 * 1024 * 1024;
};

/// A call whose completion a request waits for.
class CallWait final : public live::LiveSink {
 public:
  /// About what a call that is waited for takes until it is completed, here and in its request.
  static constexpr std::size_t kHeld = 2048;

  /// Nothing when there is no place or no memory for one more: its request is answered as when the
  /// time had run out. `context` outlives it.
  static std::unique_ptr<CallWait> create(const WaitContext& context,
                                          const v1::CallRequest& request);

  /// Follows the call, from before it is published, so that nothing is missed. `wake` and `room`
  /// outlive it.
  loop::Task<Result<void>> follow(loop::Timer& wake, WaitRoom& room);
  void on_live(const live::LiveEventPtr& event) override;
  void on_connection(bus::Connection state) override;
  /// Whether its completion may have been missed since this was last asked.
  bool take_doubt() { return std::exchange(doubt_, false); }
  /// Has the call's last event looked at, in case the live one was missed.
  void look() { context_.looks.ask(*look_); }
  /// The same, now and for a call that may have ended long ago: in the store, when the stream has
  /// lost it.
  loop::Task<void> recall();
  const std::optional<v1::CallEvent>& completion() const { return completion_; }
  /// The same, and gives it away.
  std::optional<v1::CallEvent> take_completion() {
    return std::exchange(completion_, std::nullopt);
  }
  /// Whether there is nothing left to wait for: it has completed, even if there was no room
  /// for its completion.
  bool ended() const { return ended_; }

 private:
  CallWait(const WaitContext& context, const v1::CallRequest& request,
           wire::UserPlaces::Place place);
  void settle(const v1::CallEvent& event);

  const WaitContext& context_;
  const wire::UserPlaces::Place place_;
  const CallId call_;
  const std::shared_ptr<CallLook> look_ = std::make_shared<CallLook>();
  loop::Timer* wake_ = nullptr;
  WaitRoom* room_ = nullptr;
  bool doubt_ = false;
  bool ended_ = false;
  wire::MemoryBudget::Share share_;
  std::optional<v1::CallEvent> completion_;
  live::LiveLease lease_;
};

/// Waits until all of `calls` are completed, the time runs out, or the client has gone.
loop::Task<void> wait_for(const WaitContext& context, const std::vector<CallWait*>& calls,
                          loop::Timer& wake, MonotonicTime deadline, wire::PeerWatch& peer);

}  // namespace toolway::gateway::calls
