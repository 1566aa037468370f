#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "persistence/store/store_reader.h"

namespace toolway::persistence::reaper {

/// What is remembered of a call that is not completed, so that most looks at it need no query.
struct WatchedCall {
  WallTime submitted_at{};
  std::string session_key;
  std::string pool;
  store::EventPosition published;          ///< on CALLS
  bool begun = false;                      ///< its log has an event
  std::optional<WallTime> held_since{};    ///< it waits for approval
  std::optional<WallTime> limit;           ///< when its earliest limit passes
  std::optional<WallTime> republished_at;  ///< by this reaper
};

/// The calls that are not completed, each with the time of the next look at
/// it. Knows no clock. One thread.
class WatchedCalls {
 public:
  /// Adds it, or changes what is known of it and when it is due.
  void put(const std::string& call_id, WatchedCall call, WallTime look_at);
  void look_at(const std::string& call_id, WallTime time);
  void forget(const std::string& call_id);
  WatchedCall* find(const std::string& call_id);
  /// Those that are due, at most `limit`, longest due first; they stay due until told otherwise.
  std::vector<std::string> due(WallTime now, std::size_t limit) const;
  std::size_t size() const { return calls_.size(); }
  /// Those for which `chosen` is true.
  std::vector<std::string> where(const std::function<bool(const WatchedCall&)>& chosen) const;
  /// How many each session has; the keys live as long as the calls.
  std::unordered_map<std::string_view, std::size_t> by_session() const;
  /// When the oldest of them that is not held was submitted: ids are ordered by time.
  std::optional<WallTime> oldest() const;
  /// Those that wait for approval, and when the oldest of them was submitted.
  struct HeldCalls {
    std::size_t calls = 0;
    std::optional<WallTime> oldest;
  };
  HeldCalls held() const;
  void clear();

 private:
  struct Entry {
    WatchedCall call;
    WallTime look_at{};
  };
  std::map<std::string, Entry> calls_;
  std::set<std::pair<WallTime, std::string>> by_time_;
};

}  // namespace toolway::persistence::reaper
