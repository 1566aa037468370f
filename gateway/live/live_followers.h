#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/live/live_sink.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::live {

/// Who follows what. What is told reaches the followers of a name in order, and no more than kSlice
/// of them before others have their turn: an event for ten thousand, or many events for hundreds,
/// would stop the loop for 10 ms. On the io_context's thread.
class LiveFollowers : public std::enable_shared_from_this<LiveFollowers> {
 public:
  static constexpr std::size_t kSlice = 512;
  static constexpr std::size_t kMaxWaitingBytes = 16 * 1024 * 1024;

  explicit LiveFollowers(loop::Executor executor) : executor_(executor) {}

  /// By session_key or call_id: their lengths differ, so they cannot be mistaken.
  void add(const std::string& name, LiveSink& sink) { sinks_[name].push_back(&sink); }
  void remove(const std::string& name, const LiveSink* sink);
  bool has(std::string_view name) const { return sinks_.find(name) != sinks_.end(); }

  /// False: too much waits already; those who follow `name` miss it.
  [[nodiscard]] bool tell(std::string_view name, const LiveEventPtr& event);
  /// All of them. Events that still wait are dropped: there may be a gap anyway.
  void tell_all(bus::Connection state);

 private:
  struct Told {
    std::string name;
    LiveEventPtr event;  ///< none: `state`
    bus::Connection state{};
  };
  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void post_slice();
  void slice();

  const loop::Executor executor_;
  std::unordered_map<std::string, std::vector<LiveSink*>, NameHash, std::equal_to<>> sinks_;
  std::deque<Told> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t left_ = kSlice;  ///< who may be told before the next slice
  std::size_t next_ = 0;       ///< of those who follow the first name that waits
  bool posted_ = false;        ///< a slice is
};

}  // namespace toolway::gateway::live
