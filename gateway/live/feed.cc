#include "gateway/live/feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/event_json.h"
#include "proto/subjects.h"

namespace toolway::gateway::live {
namespace {

constexpr std::size_t kMaxEventBytes = 320 * 1024;  // about: an inline result and what is around it

}  // namespace

Feed::Feed(FeedSources sources, EventScope scope, std::optional<wire::EventId> after,
           bool completed)
    : sources_(sources),
      scope_(std::move(scope)),
      cursor_(scope_.call ? FeedCursor::Follows::kCall : FeedCursor::Follows::kSession, after,
              completed),
      history_(sources_.bus, sources_.store, scope_),
      timer_(sources_.executor),
      share_(sources_.memory, wire::MemoryUse::kFollower) {
  sources_.feeds.insert(this);
}

Feed::~Feed() { sources_.feeds.erase(this); }

loop::Task<wire::HttpResult<void>> Feed::begin() {
  Result<LiveLease> lease;
  if (scope_.call) {
    lease = co_await sources_.live.follow_call(*scope_.call, *this);
  } else {
    lease = co_await sources_.live.follow_session(scope_.session, *this);
  }
  if (!lease) co_return wire::refuse(wire::bus_problem(std::move(lease.error())));
  lease_ = std::move(*lease);
  auto end = co_await sources_.bus.events_end();
  if (!end) co_return wire::refuse(wire::bus_problem(std::move(end.error())));
  auto begun = cursor_.begin(end->stream, end->recorded);
  if (!begun) co_return wire::refuse(wire::bus_problem(std::move(begun.error())));
  co_return wire::HttpResult<void>();
}

void Feed::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Feed::end() {
  gone_ = true;
  timer_.cancel();
}

void Feed::check() {
  cursor_.check();
  timer_.cancel();
}

void Feed::on_connection(bus::Connection state) {
  cursor_.connection(state);
  timer_.cancel();
}

void Feed::on_live(const LiveEventPtr& event) {
  if (!cursor_.live(event)) return;
  if (!share_.try_resize(held())) cursor_.overflowed();
  timer_.cancel();
}

loop::Task<Feed::Turn> Feed::next(std::string& out) {
  using Step = FeedCursor::Step;
  out_bytes_ = 0;
  const auto quiet_at = sources_.clock.monotonic() + silence_;
  for (;;) {
    share_.resize(held());
    if (gone_ || cursor_.ended()) co_return Turn::kEnded;
    if (stopped_) co_return Turn::kStopped;
    const MonotonicTime now = sources_.clock.monotonic();
    Step step = cursor_.next(now);
    for (; step == Step::kShow && out.size() < FeedCursor::kPageBytes; step = cursor_.next(now))
      show(out);
    if (!out.empty()) {
      out_bytes_ = out.capacity();
      share_.resize(held());
      co_return Turn::kEvents;
    }
    switch (step) {
      case Step::kRead: co_await read_page(); break;
      case Step::kReadLast: co_await read_last(); break;
      case Step::kWait: {
        if (now >= quiet_at) co_return Turn::kQuiet;
        const auto until = cursor_.wait_until();
        timer_.expires_after((until ? std::min(*until, quiet_at) : quiet_at) - now);
        co_await loop::wait_on(timer_);
        break;
      }
      case Step::kShow:
      case Step::kEnd: break;
    }
  }
}

void Feed::show(std::string& out) {
  if (cursor_.is_recorded() && cursor_.fills_gap(sources_.clock.wall())) sources_.gaps_filled.add();
  for (const wire::ShownEvent& shown : wire::show_event(cursor_.event(), cursor_.position())) {
    if (!cursor_.has_seen(shown.id)) wire::append_sse(out, shown);
  }
  cursor_.shown();
}

loop::Task<void> Feed::read_page() {
  const auto read = co_await read_record();
  // One turn of the loop brings the pages of many followers, and each becomes text of 256 KiB.
  co_await loop::give_way();
  if (read) {
    cursor_.page_read();
  } else {
    spdlog::debug("events cannot be read now: {}", read.error().message);
    cursor_.read_failed(sources_.clock.monotonic());
  }
}

/// As much as one write takes, so that a follower that does not read holds no more. Error:
/// kOverloaded, when others hold all that followers may.
loop::Task<Result<void>> Feed::read_record() {
  RecordCursor& record = cursor_.record();
  CO_RETURN_IF_ERROR(co_await history_.ask_end(record));
  const loop::AsyncSemaphore::Permit permit(co_await sources_.readers.acquire());
  // What is read, and its text.
  if (!share_.try_resize(held() + 2 * kMaxEventBytes))
    co_return tl::unexpected(wire::memory_problem().error);
  co_return co_await history_.read_page(record);
}

loop::Task<void> Feed::read_last() {
  auto last = co_await sources_.bus.last_message(
      proto::kEventsStream, proto::event_subject(scope_.session, *scope_.call));
  cursor_.last_is(last ? std::optional(std::move(*last)) : std::nullopt);
}

}  // namespace toolway::gateway::live
