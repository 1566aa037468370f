#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "gateway/live/live_hub.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/loop/drain.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/memory_budget.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// What waiting for calls needs.
struct WaitContext {
  loop::AsyncBus& bus;
  loop::AsyncStore& store;
  live::LiveHub& live;
  wire::MemoryBudget& memory;
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
  /// `context` outlives it.
  explicit CallWait(const WaitContext& context)
      : context_(context), share_(context.memory, wire::MemoryUse::kAnswer) {}

  /// Follows the call, from before it is published, so that nothing is missed. `wake` and `room`
  /// outlive it.
  loop::Task<Result<void>> follow(const v1::CallRequest& request, loop::Timer& wake,
                                  WaitRoom& room);
  void on_live(const live::LiveEventPtr& event) override;
  void on_connection(bus::Connection state) override;
  /// Whether its completion may have been missed since this was last asked.
  bool take_doubt() { return std::exchange(doubt_, false); }
  /// Looks at the call's last event, in case the live one was missed.
  loop::Task<void> look();
  /// The same for a call that may have ended long ago: in the store, when the stream has lost it.
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
  void settle(const v1::CallEvent& event);
  const WaitContext& context_;
  SessionKey session_;
  CallId call_;
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
                          loop::Timer& wake, std::chrono::steady_clock::time_point deadline,
                          wire::PeerWatch& peer);

}  // namespace toolway::gateway::calls
