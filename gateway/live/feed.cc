#include "gateway/live/feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostBuffered = 10'000;
constexpr std::size_t kMostBufferedBytes = 256 * 1024;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kEnoughBytes = 64 * 1024;  // for one write, and for one read of the record
constexpr std::size_t kLargestEvent = 320 * 1024;  // about: an inline result and what is around it
constexpr std::size_t kMostCalls = 1024;
constexpr std::chrono::seconds kKeepAlive{15};
constexpr std::chrono::milliseconds kRetry{500};
constexpr std::chrono::seconds kInTransit{1};  // younger events may still come live
// A replica that answers reads may lag this far behind the live events.
constexpr unsigned kHoleTries = 20;
constexpr std::chrono::milliseconds kReplicaLag{50};

}  // namespace

Feed::Feed(FeedSources sources, EventScope scope, std::optional<EventId> after, bool completed)
    : sources_(sources),
      scope_(std::move(scope)),
      after_(after),
      completed_(completed),
      timer_(sources_.executor),
      share_(sources_.memory, MemoryUse::kFollower) {
  sources_.feeds.insert(this);
}

Feed::~Feed() { sources_.feeds.erase(this); }

Task<Answer<void>> Feed::begin() {
  Result<LiveLease> lease;
  if (scope_.call) {
    lease = co_await sources_.live.follow_call(*scope_.call, *this);
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
    at_ = start;
    last_id_ = *after_;
  } else {
    at_ = compared_ = history_->stream_end();
    last_id_ = id_of(at_);
    caught_up_once_ = true;
    history_.reset();
  }
  co_return Answer<void>();
}

std::size_t Feed::bytes() const {
  constexpr std::size_t kCall = 112;  // a node of last_seq_ with its id
  return sizeof(Feed) + held() + buffer_.size() * sizeof(LiveEventPtr) + last_seq_.size() * kCall;
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
  if (history_) return;  // already catching up
  restart();
}

void Feed::restart() {
  restart_ = true;
  wake();
}

void Feed::drop_buffer() {
  buffer_.clear();
  buffer_.shrink_to_fit();
  buffered_bytes_ = 0;
}

void Feed::on_connection(bus::Connection state) {
  // The buffer may hold events of both sides of a gap; the record has all of them.
  drop_buffer();
  away_ = state == bus::Connection::kDisconnected;
  restart();
}

void Feed::on_live(const LiveEventPtr& event) {
  if (away_) return;  // the record is read once the bus is connected again
  buffered_bytes_ += event->bytes;
  buffer_.push_back(event);
  if (buffer_.size() > kMostBuffered || buffered_bytes_ > kMostBufferedBytes || !share_.try_resize(held())) {
    // A slow reader gets the rest from the record, at its own pace.
    drop_buffer();
    restart_ = true;
  }
  wake();
}

Task<Feed::Turn> Feed::next(std::string& out) {
  out_bytes_ = 0;
  for (;;) {
    share_.resize(held());
    if (ended_) co_return Turn::kEnded;
    if (stopped_) co_return Turn::kStopped;
    if (!away_ && (restart_ || history_)) {
      auto read = co_await catch_up(out);
      if (!read) {
        spdlog::debug("events cannot be read now: {}", read.error().message);
        restart_ = true;
        timer_.expires_after(kRetry);
        if (!stopped_ && out.empty()) co_await wait_on(timer_);
      }
    } else if (!away_) {
      co_await drain_live(out);
    }
    if (!out.empty()) {
      out_bytes_ = out.capacity();
      share_.resize(held());
      co_return Turn::kEvents;
    }
    if (stopped_ || ended_ || (!away_ && (restart_ || history_ || !buffer_.empty()))) continue;
    woken_ = false;
    timer_.expires_after(kKeepAlive);
    co_await wait_on(timer_);
    if (!woken_) co_return Turn::kQuiet;
  }
}

Task<Result<void>> Feed::catch_up(std::string& out) {
  if (std::exchange(restart_, false) || !history_) {
    rest_.clear();
    rest_bytes_ = 0;
    history_.emplace(sources_.bus, sources_.store, scope_, at_);
    auto begun = co_await history_->begin();
    if (!begun) co_return begun;
  }
  if (rest_.empty()) {
    auto read = co_await read_more();
    if (!read) co_return read;
    // A gap reported during this read asks for the stream's end once more.
    if (rest_.empty() && !restart_) co_await caught_up();
  }
  while (!rest_.empty() && out.size() < kEnoughBytes) {
    const auto [position, event] = std::move(rest_.front());
    rest_.pop_front();
    rest_bytes_ -= std::min(rest_bytes_, event.ByteSizeLong());
    const auto age = sources_.clock.wall() - from_unix_us(event.time_us());
    if (caught_up_once_ && event.kind_case() != v1::CallEvent::kAlive && age > kInTransit &&
        !is_buffered(position.sequence)) {
      sources_.gaps_filled.add();
    }
    send(out, event, position);
  }
  co_return Result<void>();
}

/// The next events of the record: as much as one write takes, so that a follower that does not
/// read holds no more. Error: kOverloaded, when others hold all that followers may.
Task<Result<void>> Feed::read_more() {
  std::optional<Turnstile::Pass> pass(co_await sources_.readers.enter());
  // What is read, and its text.
  if (!share_.try_resize(held() + 2 * kLargestEvent)) co_return tl::unexpected(memory_problem().error);
  auto events = co_await history_->next({kBatch, kEnoughBytes});
  pass.reset();
  if (!events) co_return fail(std::move(events.error()));
  for (auto& event : *events) {
    rest_bytes_ += event.event.ByteSizeLong();
    rest_.push_back(std::move(event));
  }
  co_return Result<void>();
}

Task<void> Feed::caught_up() {
  compared_ = history_->stream_end();
  history_.reset();
  if (std::exchange(caught_up_once_, true) || !scope_.call || ended_) co_return;
  // Nothing follows a completion that the reader has already seen.
  if (!completed_) {
    auto last = co_await sources_.bus.last_message(
        proto::kEventsStream, proto::event_subject(scope_.session, *scope_.call));
    if (last && EventPosition{compared_.incarnation, last->sequence} <= at_) {
      const auto event = proto::decode_event(last->payload);
      completed_ = event && event->has_completed();
    }
  }
  ended_ = completed_;
}

bool Feed::is_buffered(std::uint64_t sequence) const {
  const auto found = std::lower_bound(
      buffer_.begin(), buffer_.end(), sequence,
      [](const LiveEventPtr& event, std::uint64_t wanted) { return event->sequence < wanted; });
  return found != buffer_.end() && (*found)->sequence == sequence;
}

bool Feed::hole_before(const v1::CallEvent& event) const {
  const bool merged = event.has_completed() && event.completed().merged_start();
  const std::uint32_t first = merged ? event.seq() - 1 : event.seq();
  const auto known = last_seq_.find(event.call_id());
  return first > (known == last_seq_.end() ? 0 : known->second) + 1;
}

Task<void> Feed::drain_live(std::string& out) {
  while (!buffer_.empty() && out.size() < kEnoughBytes) {
    const LiveEventPtr live = buffer_.front();
    const EventPosition position{compared_.incarnation, live->sequence};
    if (position > at_) {
      if (hole_before(live->event)) {
        if (hole_at_ != live->sequence) hole_tries_ = 0;
        hole_at_ = live->sequence;
        // A call that was running when this feed began is not a hole: one look at the record tells.
        const unsigned tries = last_seq_.contains(live->event.call_id()) ? kHoleTries : 1;
        if (hole_tries_++ < tries) {
          restart_ = true;
          if (hole_tries_ == 1 || !out.empty()) co_return;
          timer_.expires_after(kReplicaLag);
          co_await wait_on(timer_);
          co_return;
        }
        // The record does not have this event either (it left the window): there is nothing more to read.
      }
      send(out, live->event, position);
    }
    buffer_.pop_front();
    buffered_bytes_ -= live->bytes;
  }
  if (buffer_.empty()) buffer_.shrink_to_fit();
}

void Feed::send(std::string& out, const v1::CallEvent& event, EventPosition position) {
  if (position <= at_) return;
  at_ = position;
  if (event.has_completed()) {
    last_seq_.erase(event.call_id());
    if (scope_.call) ended_ = true;
  } else {
    if (last_seq_.size() >= kMostCalls) last_seq_.clear();
    auto& seq = last_seq_[event.call_id()];
    seq = std::max(seq, event.seq());
  }
  for (const ShownEvent& shown : show_event(event, position)) {
    if (shown.id <= last_id_) continue;
    append_sse(out, shown);
    last_id_ = shown.id;
  }
}

}  // namespace toolway::gateway
