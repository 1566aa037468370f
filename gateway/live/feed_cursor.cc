#include "gateway/live/feed_cursor.h"

#include <algorithm>
#include <utility>

#include "proto/codec.h"

namespace toolway::gateway::live {

FeedCursor::FeedCursor(Follows follows, std::optional<wire::EventId> after, bool completed)
    : of_call_(follows == Follows::kCall),
      from_end_(!after),
      seen_(after.value_or(wire::EventId())),
      completed_(completed),
      at_(seen_.read_up_to()) {}

Result<void> FeedCursor::begin(const bus::StreamState& stream, std::uint64_t recorded) {
  record_.emplace(at_, persistence::store::PageLimit(kPageRows, kPageBytes));
  auto begun = record_->end_is(stream, recorded);
  if (begun && from_end_) {
    at_ = compared_ = record_->end();
    caught_up_once_ = true;
    record_.reset();
  }
  return begun;
}

FeedCursor::Step FeedCursor::next(MonotonicTime now) {
  wait_until_.reset();
  if (ended_) return Step::kEnd;
  if (away_) return Step::kWait;
  // Before it is read again, since a follower that overflows all the time would not get on.
  if (!page_.empty()) return Step::kShow;
  if (restart_) return read_again(now);
  if (record_) return Step::kRead;
  if (asks_last_) return Step::kReadLast;
  return next_live(now);
}

FeedCursor::Step FeedCursor::read_again(MonotonicTime now) {
  if (now < not_before_) {
    wait_until_ = not_before_;
    return Step::kWait;
  }
  restart_ = false;
  record_.emplace(at_, persistence::store::PageLimit(kPageRows, kPageBytes));
  return Step::kRead;
}

FeedCursor::Step FeedCursor::next_live(MonotonicTime now) {
  while (!buffer_.empty()) {
    const LiveEvent& live = *buffer_.front();
    if (position_of(live) <= at_) {
      drop_first_live();
      continue;
    }
    return hole_before(live.event) && looks_for_hole(live, now) ? read_again(now) : Step::kShow;
  }
  buffer_.shrink_to_fit();
  return Step::kWait;
}

void FeedCursor::page_read() {
  RecordCursor::Page page = record_->take();
  for (auto& event : page) {
    const std::size_t bytes = event.event.ByteSizeLong();
    page_bytes_ += bytes;
    page_.push_back({std::move(event), bytes});
  }
  // A gap reported during this read asks for the stream's end once more.
  if (page_.empty() && !restart_) caught_up();
}

void FeedCursor::read_failed(MonotonicTime now) {
  restart_ = true;
  not_before_ = now + kRetryDelay;
}

void FeedCursor::caught_up() {
  compared_ = record_->end();
  record_.reset();
  if (std::exchange(caught_up_once_, true) || !of_call_) return;
  // Nothing follows a completion that the reader has already seen.
  ended_ = completed_;
  asks_last_ = !completed_;
}

void FeedCursor::last_is(const std::optional<bus::StoredMessage>& last) {
  asks_last_ = false;
  if (!last || persistence::store::EventPosition{compared_.incarnation, last->sequence} > at_)
    return;
  const auto event = proto::decode_event(last->payload);
  ended_ = completed_ = event && event->has_completed();
}

persistence::store::EventPosition FeedCursor::position() const {
  return page_.empty() ? position_of(*buffer_.front()) : page_.front().event.position;
}

bool FeedCursor::fills_gap(WallTime now) const {
  if (page_.empty() || !caught_up_once_ || event().kind_case() == v1::CallEvent::kAlive)
    return false;
  return now - from_unix_us(event().time_us()) > kInTransit && !is_buffered(position().sequence);
}

bool FeedCursor::is_buffered(std::uint64_t sequence) const {
  const auto found = std::lower_bound(
      buffer_.begin(), buffer_.end(), sequence,
      [](const LiveEventPtr& event, std::uint64_t wanted) { return event->sequence < wanted; });
  return found != buffer_.end() && (*found)->sequence == sequence;
}

bool FeedCursor::hole_before(const v1::CallEvent& event) const {
  const bool merged = event.has_completed() && event.completed().merged_start();
  const std::uint32_t first = merged ? event.seq() - 1 : event.seq();
  const auto known = last_seq_.find(event.call_id());
  return first > (known == last_seq_.end() ? 0 : known->second) + 1;
}

/// False: the record does not have what is missing either (it left the window), and there is
/// nothing more to read.
bool FeedCursor::looks_for_hole(const LiveEvent& live, MonotonicTime now) {
  if (hole_at_ != live.sequence) hole_tries_ = 0;
  hole_at_ = live.sequence;
  // A call that was running when this feed began is not a hole: one look at the record tells.
  const unsigned tries = last_seq_.contains(live.event.call_id()) ? kHoleTries : 1;
  if (hole_tries_ == tries) return false;
  not_before_ = hole_tries_++ == 0 ? now : now + kReplicaLag;
  restart_ = true;
  return true;
}

void FeedCursor::shown() {
  const v1::CallEvent& shown = event();
  at_ = position();
  if (shown.has_completed()) {
    last_seq_.erase(shown.call_id());
    if (of_call_) ended_ = true;
  } else {
    if (last_seq_.size() >= kMaxCalls) last_seq_.clear();
    auto& seq = last_seq_[shown.call_id()];
    seq = std::max(seq, shown.seq());
  }
  if (page_.empty()) return drop_first_live();
  page_bytes_ -= page_.front().bytes;
  page_.pop_front();
}

bool FeedCursor::live(const LiveEventPtr& event) {
  if (away_) return false;  // the record is read once the bus is connected again
  buffered_bytes_ += event->bytes;
  buffer_.push_back(event);
  if (buffer_.size() > kMaxBuffered || buffered_bytes_ > kMaxBufferedBytes) overflowed();
  return true;
}

void FeedCursor::overflowed() {
  drop_buffer();
  restart_ = true;
}

void FeedCursor::connection(bus::Connection state) {
  // The buffer may hold events of both sides of a gap; the record has all of them.
  drop_buffer();
  away_ = state == bus::Connection::kDisconnected;
  restart_ = true;
  not_before_ = MonotonicTime::min();
}

void FeedCursor::check() {
  if (!record_) restart_ = true;
}

std::size_t FeedCursor::held() const {
  constexpr std::size_t kCall = 112;  // a node of last_seq_ with its id
  return buffered_bytes_ + page_bytes_ + buffer_.size() * sizeof(LiveEventPtr) +
         last_seq_.size() * kCall;
}

void FeedCursor::drop_first_live() {
  buffered_bytes_ -= buffer_.front()->bytes;
  buffer_.pop_front();
}

void FeedCursor::drop_buffer() {
  buffer_.clear();
  buffer_.shrink_to_fit();
  buffered_bytes_ = 0;
}

}  // namespace toolway::gateway::live
