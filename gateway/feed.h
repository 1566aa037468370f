#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/event_json.h"
#include "gateway/history.h"
#include "gateway/live_hub.h"
#include "monitoring/metrics.h"

namespace toolway::gateway {

/// Where a feed gets its events from.
struct FeedSources {
  AsyncBus& bus;
  AsyncStore& store;
  LiveHub& live;
  const Clock& clock;
  monitoring::Counter& gaps_filled;
  Executor executor;
};

/// The events of a session or call for one SSE stream: what is recorded, then what
/// comes live, each once. It buffers live events while it reads recorded ones and drops by
/// sequence. Everything up to `floor_` was read from a record without gaps; `above_` came
/// live since. A check reads again from `floor_` and delivers what is missing: it runs when a
/// call's `seq` shows a hole, when the buffer overflowed, after a reconnect, and when
/// the gap checker says so. On the io_context's thread.
class Feed final : public LiveSink {
 public:
  /// `after`: where the reader is; nothing: at the end. `completed`: the call of the
  /// scope is known to have completed.
  Feed(FeedSources sources, EventScope scope, std::optional<EventId> after, bool completed);

  /// From here on nothing is missed. Errors: bus_unavailable, invalid_cursor …
  Task<Answer<void>> begin();

  enum class Turn { kEvents, kQuiet, kEnded };
  /// Waits for events and appends them to `out`; kQuiet after 15 s without any,
  /// kEnded after the call's completion or `stop`.
  Task<Turn> next(std::string& out);

  void stop();
  /// Compares with what is recorded, soon.
  void check();
  /// Whether the record has grown beyond what this feed was compared with.
  bool behind(EventPosition stream_end) const { return compared_ < stream_end; }
  void on_live(const LiveEventPtr& event) override;

 private:
  Task<Result<void>> catch_up(std::string& out);
  Task<void> finish_catching_up();
  void drain_live(std::string& out);
  bool hole_before(const v1::CallEvent& event) const;
  bool delivered_live(EventPosition position) const;
  void emit(std::string& out, const v1::CallEvent& event, EventPosition position);
  void wake();

  FeedSources sources_;
  EventScope scope_;
  std::optional<EventId> after_;
  bool completed_;
  LiveLease lease_;
  Timer timer_;
  bool woken_ = false;
  bool stopped_ = false;
  bool ended_ = false;

  EventPosition floor_;
  std::vector<std::uint64_t> above_;  // sorted, in floor_'s life of the stream
  EventId last_id_;                   // the highest one sent
  EventPosition compared_;            // how far the stream went at the last check
  std::unordered_map<std::string, std::uint32_t> last_seq_;  // of calls under way

  std::deque<LiveEventPtr> queue_;
  std::size_t queued_bytes_ = 0;
  std::uint64_t exempt_ = 0;  // this live event was just checked
  bool overflowed_ = false;
  bool check_wanted_ = false;
  bool hole_ = false;
  bool caught_up_once_ = false;
  std::optional<History> history_;
};

}  // namespace toolway::gateway
