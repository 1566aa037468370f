#include "gateway/feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostQueued = 10'000;
constexpr std::size_t kMostQueuedBytes = 1024 * 1024;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kEnoughBytes = 64 * 1024;  // for one write
/// So many live events are compared with the record; a busier session relies on `seq`.
constexpr std::size_t kMostAbove = 64;
constexpr std::size_t kMostCalls = 1024;
constexpr std::chrono::seconds kKeepAlive{15};
constexpr std::chrono::milliseconds kRetry{500};
constexpr std::chrono::seconds kInTransit{1};  // younger events may still come live

}  // namespace

Feed::Feed(FeedSources sources, EventScope scope, std::optional<EventId> after, bool completed)
    : sources_(sources),
      scope_(std::move(scope)),
      after_(after),
      completed_(completed),
      timer_(sources_.executor) {}

Task<Answer<void>> Feed::begin() {
  Result<LiveLease> lease;
  if (scope_.call) {
    lease = co_await sources_.live.follow_call(scope_.session, *scope_.call, *this);
  } else {
    lease = co_await sources_.live.follow_session(scope_.session, *this);
  }
  if (!lease) co_return refuse(bus_problem(std::move(lease.error())));
  lease_ = std::move(*lease);
  const EventPosition start = after_ ? after_->read_up_to() : EventPosition{};
  history_.emplace(sources_.bus, sources_.store, scope_, start);
  auto begun = co_await history_->begin();
  if (!begun) co_return refuse(bus_problem(std::move(begun.error())));
  if (after_) {
    floor_ = start;
    last_id_ = *after_;
  } else {
    floor_ = history_->stream_end();
    last_id_ = id_of(floor_);
    after_ = last_id_;
    compared_ = floor_;
    caught_up_once_ = true;
    history_.reset();
  }
  co_return Answer<void>();
}

void Feed::wake() {
  woken_ = true;
  timer_.cancel();
}

void Feed::stop() {
  stopped_ = true;
  wake();
}

void Feed::check() {
  check_wanted_ = true;
  wake();
}

void Feed::on_live(const LiveEventPtr& event) {
  if (overflowed_) return;
  queued_bytes_ += event->bytes;
  queue_.push_back(event);
  if (queue_.size() > kMostQueued || queued_bytes_ > kMostQueuedBytes) {
    // A slow reader gets the rest from the record, at its own pace.
    queue_.clear();
    queue_.shrink_to_fit();
    queued_bytes_ = 0;
    overflowed_ = true;
  }
  wake();
}

Task<Feed::Turn> Feed::next(std::string& out) {
  for (;;) {
    if (stopped_) co_return Turn::kEnded;
    if (overflowed_) {
      overflowed_ = false;
      hole_ = check_wanted_ = true;
      history_.reset();  // it may have been told to stop before what was dropped
    }
    if (history_ || check_wanted_) {
      auto read = co_await catch_up(out);
      if (!read) {
        spdlog::debug("events cannot be read now: {}", read.error().message);
        history_.reset();
        check_wanted_ = true;
        woken_ = false;
        timer_.expires_after(kRetry);
        if (!stopped_) co_await wait_on(timer_);
        continue;
      }
      if (!out.empty()) co_return Turn::kEvents;
      if (history_) continue;
    }
    drain_live(out);
    if (!out.empty()) co_return Turn::kEvents;
    if (ended_) co_return Turn::kEnded;
    if (check_wanted_ || overflowed_ || !queue_.empty()) continue;
    woken_ = false;
    timer_.expires_after(kKeepAlive);
    co_await wait_on(timer_);
    if (!woken_) co_return Turn::kQuiet;
  }
}

Task<Result<void>> Feed::catch_up(std::string& out) {
  if (!history_) {
    check_wanted_ = false;
    history_.emplace(sources_.bus, sources_.store, scope_, floor_);
    auto begun = co_await history_->begin();
    if (!begun) co_return begun;
  }
  std::optional<std::uint64_t> before;
  if (!queue_.empty()) before = queue_.front()->sequence;
  auto events = co_await history_->next(kBatch, before);
  if (!events) co_return fail(std::move(events.error()));
  for (const auto& [position, event] : *events) {
    if (position.incarnation != floor_.incarnation) above_.clear();
    const bool known = delivered_live(position);
    floor_ = std::max(floor_, position);
    if (known) continue;
    const auto age = sources_.clock.wall() - from_unix_us(event.time_us());
    if (caught_up_once_ && event.kind_case() != v1::CallEvent::kAlive &&
        (hole_ || age > kInTransit)) {
      sources_.gaps_filled.add();
    }
    emit(out, event, position);
  }
  if (events->empty()) co_await finish_catching_up();
  co_return Result<void>();
}

Task<void> Feed::finish_catching_up() {
  const EventPosition end = history_->stream_end();
  history_.reset();
  if (floor_.incarnation != end.incarnation) {
    floor_ = {end.incarnation, 0};
    above_.clear();
  }
  // That nothing more was found is certain only for what is older than the last check:
  // a replica that answered may have been behind.
  if (compared_.incarnation == end.incarnation &&
      (queue_.empty() || queue_.front()->sequence > compared_.sequence)) {
    floor_ = std::max(floor_, compared_);
  }
  compared_ = end;
  const auto verified = std::upper_bound(above_.begin(), above_.end(), floor_.sequence);
  above_.erase(above_.begin(), verified);
  exempt_ = queue_.empty() ? 0 : queue_.front()->sequence;
  hole_ = false;
  if (caught_up_once_ || !scope_.call || ended_) {
    caught_up_once_ = true;
    co_return;
  }
  caught_up_once_ = true;
  // Nothing follows a completion that the reader has seen already.
  if (!completed_) {
    auto last = co_await sources_.bus.last_message(
        proto::kEventsStream, proto::event_subject(scope_.session, *scope_.call));
    if (last && last->sequence <= floor_.sequence) {
      const auto event = proto::decode_event(last->payload);
      completed_ = event && event->has_completed();
    }
  }
  ended_ = completed_;
}

bool Feed::delivered_live(EventPosition position) const {
  return position.incarnation == floor_.incarnation &&
         std::binary_search(above_.begin(), above_.end(), position.sequence);
}

bool Feed::hole_before(const v1::CallEvent& event) const {
  const bool merged = event.has_completed() && event.completed().merged_start();
  const std::uint32_t first = merged ? event.seq() - 1 : event.seq();
  const auto known = last_seq_.find(event.call_id());
  return first > (known == last_seq_.end() ? 0 : known->second) + 1;
}

void Feed::drain_live(std::string& out) {
  while (!queue_.empty() && out.size() < kEnoughBytes) {
    const LiveEventPtr live = queue_.front();
    const EventPosition position{floor_.incarnation, live->sequence};
    if (position > floor_ && !delivered_live(position)) {
      if (live->sequence != exempt_ && hole_before(live->event)) {
        hole_ = check_wanted_ = true;
        return;
      }
      emit(out, live->event, position);
      above_.insert(std::upper_bound(above_.begin(), above_.end(), live->sequence),
                    live->sequence);
      if (above_.size() > kMostAbove) {
        floor_.sequence = std::max(floor_.sequence, above_.back());
        above_.clear();
      }
    }
    queue_.pop_front();
    queued_bytes_ -= live->bytes;
  }
  if (queue_.empty()) queue_.shrink_to_fit();
}

void Feed::emit(std::string& out, const v1::CallEvent& event, EventPosition position) {
  if (event.has_completed()) {
    last_seq_.erase(event.call_id());
    if (scope_.call) ended_ = true;
  } else {
    if (last_seq_.size() >= kMostCalls) last_seq_.clear();
    auto& seq = last_seq_[event.call_id()];
    seq = std::max(seq, event.seq());
  }
  for (const ShownEvent& shown : show_event(event, position)) {
    if (shown.id <= *after_) continue;
    // Found behind a later one: a client that resumes must not go back to here.
    append_sse(out, shown, shown.id < last_id_ ? SseId::kOmit : SseId::kSend);
    last_id_ = std::max(last_id_, shown.id);
  }
}

}  // namespace toolway::gateway
