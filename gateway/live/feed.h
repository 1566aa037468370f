#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "gateway/live/feed_cursor.h"
#include "gateway/live/history.h"
#include "gateway/live/live_hub.h"
#include "gateway/loop/async_semaphore.h"
#include "gateway/wire/event_stream.h"
#include "gateway/wire/memory_budget.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::live {

class Feed;

/// Where a feed gets its events from.
struct FeedSources {
  loop::AsyncBus& bus;
  loop::AsyncStore& store;
  LiveHub& live;
  const Clock& clock;
  monitoring::Counter& gaps_filled;
  loop::AsyncSemaphore& readers;  ///< of the record: thousands may want to read at once
  wire::MemoryBudget& memory;
  std::unordered_set<Feed*>& feeds;  ///< all that exist
  loop::Executor executor;
};

/// The events of a session or call for one SSE stream, as `FeedCursor` decides; what it asks for is
/// asked here. On the io_context's thread.
class Feed final : public wire::EventStream, public LiveSink {
 public:
  /// `after`: where the reader is; nothing: at the end. `completed`: the call of the
  /// scope is known to have completed.
  Feed(FeedSources sources, EventScope scope, std::optional<wire::EventId> after, bool completed);
  ~Feed() override;

  /// From here on nothing is missed. Errors: bus_unavailable, invalid_cursor …
  loop::Task<wire::HttpResult<void>> begin();

  loop::Task<Turn> next(std::string& out) override;
  void stop() override;
  void quiet_after(std::chrono::milliseconds silence) override { silence_ = silence; }
  loop::Task<void> left() override { co_return; }
  /// There is nothing to come back for: its session is deleted.
  void end();
  /// Catches up soon: the last events may not have come live.
  void check();
  /// Whether the stream has grown beyond what this feed last read of it.
  bool behind(persistence::store::EventPosition stream_end) const {
    return cursor_.behind(stream_end);
  }
  const EventScope& scope() const { return scope_; }
  /// Memory that it takes, estimated: itself and the events it holds.
  std::size_t bytes() const { return sizeof(Feed) + held(); }
  void on_live(const LiveEventPtr& event) override;
  void on_connection(bus::Connection state) override;

 private:
  void show(std::string& out);
  loop::Task<void> read_page();
  loop::Task<Result<void>> read_record();
  loop::Task<void> read_last();
  std::size_t held() const { return cursor_.held() + out_bytes_; }

  FeedSources sources_;
  EventScope scope_;
  FeedCursor cursor_;
  History history_;
  LiveLease lease_;
  loop::Timer timer_;
  std::chrono::milliseconds silence_{std::chrono::seconds(15)};
  bool stopped_ = false;
  bool gone_ = false;
  std::size_t out_bytes_ = 0;  ///< last handed out
  wire::MemoryBudget::Share share_;
};

}  // namespace toolway::gateway::live
