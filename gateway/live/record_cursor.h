#pragma once

#include <cstdint>

#include "bus/bus.h"
#include "gateway/wire/event_id.h"

namespace toolway::gateway::live {

/// Decides where recorded events are read, in order and without gaps: in the store as far as the
/// collectors have acknowledged everything, in the stream above that, or all of it in the stream
/// when the store does not answer and the stream still has it. A page that was read in the stream
/// counts only if nothing of it has left the stream in the meantime; otherwise it is read again, as
/// the store has it by then. Pure: `next` says what to ask, and the answer is handed back. After an
/// error it is of no more use.
class RecordCursor {
 public:
  using Page = persistence::store::Page<persistence::store::RecordedEvent>;

  enum class Step {
    kAskEnd,      ///< ask how far EVENTS goes, and how far it is recorded: `end_is`
    kReadStore,   ///< ask the store for the page after `at`: `from_store`
    kReadStream,  ///< ask any replica for the next message of EVENTS after `at`: `from_stream`
    kReadLeader,  ///< the same, but only the leader
    kTake,        ///< the page is there: `take` it
  };

  RecordCursor(persistence::store::EventPosition after, persistence::store::PageLimit limit)
      : limit_(limit), at_(after) {}

  Step next() const { return step_; }
  /// Everything up to here was read.
  persistence::store::EventPosition at() const { return at_; }
  const persistence::store::PageLimit& limit() const { return limit_; }
  /// Of the next page, before anything of it was read.
  void limit_to(persistence::store::PageLimit limit) { limit_ = limit; }

  /// `recorded`: everything up to there is in the store. Errors: kInvalidCursor when `after` lies
  /// in a life of the stream that has not begun.
  Result<void> end_is(const bus::StreamState& stream, std::uint64_t recorded);
  /// Errors: the store's, when the stream has not everything that is needed.
  Result<void> from_store(Result<Page> page);
  /// Errors: the bus's.
  Result<void> from_stream(Result<bus::StoredMessage> message);
  /// The next events, heartbeats included; empty: there are no more up to `end`. Afterwards the
  /// next page.
  Page take();

  /// The stream's last message, and its life, when its end was last asked for.
  persistence::store::EventPosition end() const { return end_; }

 private:
  void begin_page();
  void begin_in_stream();
  bool stream_has_all() const;

  persistence::store::PageLimit limit_;
  Step step_ = Step::kAskEnd;
  bool in_store_ = true;
  persistence::store::EventPosition at_;
  persistence::store::EventPosition floor_;  ///< everything up to here is in the store, or nowhere
  persistence::store::EventPosition end_;
  std::uint64_t first_ = 0;  ///< the stream's first message
  Page page_;
  persistence::store::EventPosition page_from_;  ///< where a page of the stream begins
  std::size_t page_bytes_ = 0;                   ///< of a page of the stream
  bool checks_window_ = false;  ///< the end is asked for again, after a page of the stream
};

}  // namespace toolway::gateway::live
