#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "bus/bus.h"
#include "gateway/live/live_followers.h"
#include "gateway/live/live_order.h"
#include "gateway/loop/io_post.h"

namespace toolway::gateway::live {

class LiveHub;

/// Following lasts as long as this.
class LiveLease {
 public:
  LiveLease() = default;
  LiveLease(LiveHub& hub, std::string name, LiveSink& sink);
  LiveLease(LiveLease&& other) noexcept { *this = std::move(other); }
  LiveLease& operator=(LiveLease&& other) noexcept;
  ~LiveLease() { release(); }
  void release();

 private:
  LiveHub* hub_ = nullptr;
  LiveSink* sink_ = nullptr;
  std::string name_;
};

/// Follows what stream EVENTS republishes, as long as this gateway has a follower of a session
/// or a call, and hands each event to the followers of its own; always in the order of the
/// stream, which needs all of it (live_order.h). Kept for a while after the last follower,
/// so that short waits do not subscribe each time.
class LiveHub {
 public:
  LiveHub(bus::Bus& bus, std::shared_ptr<loop::IoPost> io_post, const Clock& clock);
  ~LiveHub();

  /// What is published after this returns reaches `sink`, while the connection lasts.
  /// Errors: kBusUnavailable.
  loop::Task<Result<LiveLease>> follow_session(SessionKey session, LiveSink& sink);
  loop::Task<Result<LiveLease>> follow_call(CallId call, LiveSink& sink);

  /// Ends the subscription when it was unused for a while; gives up what was missing
  /// for too long.
  void sweep(MonotonicTime now);
  /// Tells every follower, once it is known where live events continue.
  void connection_changed(bus::Connection state);

 private:
  friend class LiveLease;
  loop::Task<Result<LiveLease>> follow(std::string name, LiveSink& sink);
  loop::Task<Result<void>> subscribe();
  loop::Task<Result<void>> find_beginning();
  loop::Task<void> begin_again(bus::Connection state);
  void release(const std::string& name, LiveSink* sink);
  void deliver(std::string_view subject, std::string_view payload, std::uint64_t sequence);

  bus::Bus& bus_;
  std::shared_ptr<loop::IoPost> io_post_;
  const Clock& clock_;
  LiveOrder order_;
  bool beginning_again_ = false;
  bool dropped_ = false;  ///< a live event: too much waits for followers

  std::size_t users_ = 0;
  bool subscribing_ = false;
  std::shared_ptr<bus::Subscription> subscription_;
  MonotonicTime unused_since_{};
  std::vector<loop::Timer*> waiting_;  ///< for the subscription of another coroutine
  const std::shared_ptr<LiveFollowers> followers_;
  asio::thread_pool subscriber_{1};  // subscribing may wait for the server
};

}  // namespace toolway::gateway::live
