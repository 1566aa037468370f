#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gateway/wire/event_json.h"
#include "gateway/wire/event_stream.h"
#include "gateway/live/history.h"
#include "gateway/live/live_hub.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/loop/turnstile.h"
#include "monitoring/metrics.h"

namespace toolway::gateway {

class Feed;

/// Where a feed gets its events from.
struct FeedSources {
  AsyncBus& bus;
  AsyncStore& store;
  LiveHub& live;
  const Clock& clock;
  monitoring::Counter& gaps_filled;
  Turnstile& readers;  ///< of the record: thousands may want to read at once
  MemoryBudget& memory;
  std::unordered_set<Feed*>& feeds;  ///< all that exist
  Executor executor;
};

/// The events of a session or call for one SSE stream, each once and in the order of their
/// sequences. Everything at or below `at_` was sent. Catching up reads the record from
/// there to the stream's end, asked for while live events are already being buffered; what is
/// buffered above `at_` follows. Live events are whole and in order while the connection
/// lasts, so a feed catches up again whenever that may have ended: after kConnected and
/// kGap, after its buffer overflowed (or no memory for followers was left), and when a call's `seq` shows a hole,
/// before anything after the hole is sent. On the io_context's thread.
class Feed final : public EventStream, public LiveSink {
 public:
  /// `after`: where the reader is; nothing: at the end. `completed`: the call of the
  /// scope is known to have completed.
  Feed(FeedSources sources, EventScope scope, std::optional<EventId> after, bool completed);
  ~Feed() override;

  /// From here on nothing is missed. Errors: bus_unavailable, invalid_cursor …
  Task<Answer<void>> begin();

  Task<Turn> next(std::string& out) override;
  void stop() override;
  /// Catches up soon: the last events may not have come live.
  void check();
  /// Whether the stream has grown beyond what this feed last read of it.
  bool behind(EventPosition stream_end) const { return compared_ < stream_end; }
  const EventScope& scope() const { return scope_; }
  /// Memory that it takes, estimated: itself and the events it holds.
  std::size_t bytes() const;
  void on_live(const LiveEventPtr& event) override;
  void on_connection(bus::Connection state) override;

 private:
  Task<Result<void>> catch_up(std::string& out);
  Task<Result<void>> read_more();
  Task<void> caught_up();
  std::size_t held() const { return buffered_bytes_ + rest_bytes_ + out_bytes_; }
  Task<void> drain_live(std::string& out);
  bool hole_before(const v1::CallEvent& event) const;
  bool is_buffered(std::uint64_t sequence) const;
  void send(std::string& out, const v1::CallEvent& event, EventPosition position);
  void drop_buffer();
  void restart();
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

  EventPosition at_;
  EventId last_id_;         // nothing at or below it is sent
  EventPosition compared_;  // the stream's end when it was last read
  std::unordered_map<std::string, std::uint32_t> last_seq_;  // of calls in progress

  std::deque<LiveEventPtr> buffer_;
  std::size_t buffered_bytes_ = 0;
  bool away_ = false;     // disconnected
  bool restart_ = false;  // catch up from `at_` again
  std::uint64_t hole_at_ = 0;  // the live event that showed a hole
  unsigned hole_tries_ = 0;
  bool caught_up_once_ = false;
  std::optional<History> history_;
  std::deque<persistence::RecordedEvent> rest_;  ///< read from the record, not yet sent
  std::size_t rest_bytes_ = 0;
  std::size_t out_bytes_ = 0;  ///< last handed out
  MemoryBudget::Share share_;
};

}  // namespace toolway::gateway
