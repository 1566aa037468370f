#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "gateway/live/live_event.h"
#include "gateway/live/record_cursor.h"

namespace toolway::gateway::live {

/// What one follower of a session or a call is shown next: each event once, in the order of their
/// sequences. It begins with the record, from where the reader is to the stream's end, which is
/// asked for while live events are already being buffered; what is buffered above that follows.
/// Live events are whole and in order while the connection lasts, so the record is read again
/// whenever that may have ended: after kConnected and kGap, after the buffer overflowed, and when a
/// call's `seq` shows a hole, before anything after the hole is shown. Pure: handed the time, live
/// events, and what was read. One thread.
class FeedCursor {
 public:
  static constexpr std::size_t kMaxBuffered = 10'000;
  static constexpr std::size_t kMaxBufferedBytes = 256 * 1024;
  /// For one write to the reader, and for one page of the record.
  static constexpr std::size_t kPageBytes = 64 * 1024;
  static constexpr std::size_t kPageRows = 64;
  /// Of that many calls in progress it remembers how far they are.
  static constexpr std::size_t kMaxCalls = 1024;
  /// Before the record is read again after an error.
  static constexpr std::chrono::milliseconds kRetryDelay{500};
  /// How often the record is read for missing events, each time after a longer wait: the replica
  /// that answers reads may lag behind the live events.
  static constexpr unsigned kHoleTries = 20;
  static constexpr std::chrono::milliseconds kReplicaLag{50};
  /// Younger events may still come live.
  static constexpr std::chrono::seconds kInTransit{1};

  enum class Follows { kSession, kCall };
  enum class Step {
    kRead,      ///< read a page of the record as `record` says, and take it with `page_read`; or
                ///< `read_failed`
    kReadLast,  ///< ask for the last event of the call in EVENTS: `last_is`
    kShow,      ///< show `event`, then say so with `shown`
    kWait,      ///< nothing to do, until something comes or the time is `wait_until`
    kEnd,       ///< the call has completed, and the reader has been shown everything
  };

  /// `after`: where the reader is; nothing: at the end. `completed`: the call is known to have
  /// completed.
  FeedCursor(Follows follows, std::optional<wire::EventId> after, bool completed);

  /// The stream's end and how far it is recorded, once live events are being followed: before
  /// anything else is asked of it. Errors: kInvalidCursor.
  Result<void> begin(const bus::StreamState& stream, std::uint64_t recorded);

  Step next(MonotonicTime now);
  /// When `next` said kWait; nothing: only something that comes can change that.
  std::optional<MonotonicTime> wait_until() const { return wait_until_; }

  RecordCursor& record() { return *record_; }
  void page_read();
  void read_failed(MonotonicTime now);
  /// Nothing, too, when it cannot be read.
  void last_is(const std::optional<bus::StoredMessage>& last);

  /// What kShow is about. Valid until `shown`.
  const v1::CallEvent& event() const {
    return page_.empty() ? buffer_.front()->event : page_.front().event.event;
  }
  persistence::store::EventPosition position() const;
  /// Whether it comes from the record.
  bool is_recorded() const { return !page_.empty(); }
  /// Whether it should have come live, long ago by now.
  bool fills_gap(WallTime now) const;
  /// Whether the reader had seen that part of it before: an event may be shown as two.
  bool has_seen(wire::EventId id) const { return id <= seen_; }
  void shown();

  /// False: it is left to the record.
  bool live(const LiveEventPtr& event);
  /// There is no room for what is buffered: a slow reader gets it from the record, at its own pace.
  void overflowed();
  void connection(bus::Connection state);
  /// Reads the record again: the last events may not have come live.
  void check();

  /// Whether the stream has grown beyond what was last read of it.
  bool behind(persistence::store::EventPosition stream_end) const { return compared_ < stream_end; }
  bool ended() const { return ended_; }
  /// Memory that it takes besides its own size, estimated: events, and the numbers of calls.
  std::size_t held() const;

 private:
  struct Recorded {
    persistence::store::RecordedEvent event;
    std::size_t bytes = 0;
  };
  Step read_again(MonotonicTime now);
  Step next_live(MonotonicTime now);
  void caught_up();
  bool hole_before(const v1::CallEvent& event) const;
  bool looks_for_hole(const LiveEvent& live, MonotonicTime now);
  bool is_buffered(std::uint64_t sequence) const;
  persistence::store::EventPosition position_of(const LiveEvent& live) const {
    return {compared_.incarnation, live.sequence};
  }
  void drop_first_live();
  void drop_buffer();

  const bool of_call_;
  const bool from_end_;
  const wire::EventId seen_;  ///< nothing at or below it is shown
  bool completed_;            ///< the reader has been, or will be, shown the call's completion
  bool ended_ = false;

  persistence::store::EventPosition at_;        ///< everything at or below was shown
  persistence::store::EventPosition compared_;  ///< the stream's end when it was last read
  std::unordered_map<std::string, std::uint32_t> last_seq_;  ///< of calls in progress

  std::deque<LiveEventPtr> buffer_;
  std::size_t buffered_bytes_ = 0;
  std::deque<Recorded> page_;  ///< read from the record, not yet shown
  std::size_t page_bytes_ = 0;

  bool away_ = false;                                ///< disconnected
  bool restart_ = false;                             ///< the record must be read from `at_` again
  MonotonicTime not_before_ = MonotonicTime::min();  ///< that
  std::optional<MonotonicTime> wait_until_;
  std::uint64_t hole_at_ = 0;  ///< the live event that showed a hole
  unsigned hole_tries_ = 0;
  bool caught_up_once_ = false;
  bool asks_last_ = false;
  std::optional<RecordCursor> record_;  ///< while catching up
};

}  // namespace toolway::gateway::live
