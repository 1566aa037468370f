#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bus/bus.h"
#include "gateway/live/live_event.h"
#include "gateway/live/live_order.h"
#include "gateway/loop/io_post.h"

namespace toolway::gateway::live {

/// A follower of a session or a call. Called on the io_context's thread; must not
/// begin or end following in there.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  virtual void on_live(const LiveEventPtr& event) = 0;
  /// Between what came live so far and what will come there may be a gap: after
  /// kDisconnected nothing is certain until kConnected.
  virtual void on_connection(bus::Connection state) = 0;
};

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
  LiveHub(bus::Bus& bus, std::shared_ptr<loop::IoPost> io_post);
  ~LiveHub();

  /// What is published after this returns reaches `sink`, while the connection lasts.
  /// Errors: kBusUnavailable.
  loop::Task<Result<LiveLease>> follow_session(SessionKey session, LiveSink& sink);
  loop::Task<Result<LiveLease>> follow_call(CallId call, LiveSink& sink);

  /// Ends the subscription when it was unused for a while; gives up what was missing
  /// for too long.
  void sweep(std::chrono::steady_clock::time_point now);
  /// Tells every follower, once it is known where live events continue.
  void connection_changed(bus::Connection state);

 private:
  friend class LiveLease;
  loop::Task<Result<LiveLease>> follow(std::string name, LiveSink& sink);
  loop::Task<Result<void>> subscribe();
  loop::Task<Result<void>> find_beginning();
  loop::Task<void> begin_again(bus::Connection state);
  void tell(bus::Connection state);
  void release(const std::string& name, LiveSink* sink);
  void deliver(std::string_view subject, std::string_view payload, std::uint64_t sequence);

  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  bus::Bus& bus_;
  std::shared_ptr<loop::IoPost> io_post_;
  LiveOrder order_;
  bool beginning_again_ = false;

  std::size_t users_ = 0;
  bool subscribing_ = false;
  std::shared_ptr<bus::Subscription> subscription_;
  std::chrono::steady_clock::time_point unused_since_{};
  std::vector<loop::Timer*> waiting_;  ///< for the subscription of another coroutine
  /// By session_key or call_id: their lengths differ, so they cannot be mistaken.
  std::unordered_map<std::string, std::vector<LiveSink*>, NameHash, std::equal_to<>> sinks_;
  asio::thread_pool subscriber_{1};  // subscribing may wait for the server
};

}  // namespace toolway::gateway::live
