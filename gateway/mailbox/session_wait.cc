#include "gateway/mailbox/session_wait.h"

#include <algorithm>

#include "base/try.h"

namespace toolway::gateway::mailbox {

SessionWait::SessionWait(const SessionWaitContext& context, SessionKey session, Manifest& manifest,
                         AwaitHeld held, loop::Executor executor)
    : context_(context), session_(session), manifest_(manifest), held_(held), wake_(executor) {
  index();
}

loop::Task<Result<void>> SessionWait::follow() {
  CO_ASSIGN_OR_RETURN(lease_, co_await context_.live.follow_session(session_, *this));
  co_return Result<void>();
}

void SessionWait::index() {
  pending_.clear();
  pending_.reserve(manifest_.pending());
  for (std::size_t i = 0; i < manifest_.calls.size(); ++i) {
    auto& call = manifest_.calls[i];
    if (!is_awaited(call, held_)) continue;
    const auto early = early_.find(call.call_id);
    if (early != early_.end() && note_completion(call, early->second)) continue;
    pending_.emplace(call.call_id, i);
  }
}

void SessionWait::on_live(const live::LiveEventPtr& event) {
  if (!event->event.has_completed()) return;
  const auto found = pending_.find(event->event.call_id());
  if (found == pending_.end()) {
    // One that was accepted during the close, or that a read in progress will bring. Only how it
    // ended matters.
    v1::CallEvent end;
    end.mutable_completed()->set_outcome(event->event.completed().outcome());
    end.mutable_completed()->mutable_error()->set_code(event->event.completed().error().code());
    early_.emplace(event->event.call_id(), std::move(end));
    return;
  }
  note_completion(manifest_.calls[found->second], event->event);
  pending_.erase(found);
  if (pending_.empty()) wake_.cancel();
}

void SessionWait::on_connection(bus::Connection state) {
  if (state == bus::Connection::kDisconnected) return;
  doubt_ = true;
  wake_.cancel();
}

loop::Task<void> SessionWait::look(persistence::store::MailboxCursor read) {
  constexpr std::chrono::seconds kRecordWait{1};
  const auto recorded = co_await await_session_recorded(context_.recorded, session_, kRecordWait);
  auto newest = co_await read_manifest(context_.pages, session_, read);
  if (newest.reason.empty()) {  // otherwise more is already known
    if (recorded != Recorded::kAll) co_await add_unrecorded(context_.recorded, session_, newest);
    keep_completions(newest, manifest_);
    std::swap(manifest_, newest);
    index();
  }
  context_.threads.discard(std::make_pair(std::move(newest.calls), std::move(newest.unrecorded)));
}

loop::Task<void> SessionWait::wait(MonotonicTime deadline, wire::PeerWatch& peer,
                                   persistence::store::MailboxCursor read) {
  const Clock& clock = context_.recorded.clock;
  MonotonicTime now = clock.monotonic();
  MonotonicTime next_look = now;
  peer.watch(wake_);
  while (!pending_.empty()) {
    if (now >= deadline || peer.gone() || context_.recorded.drain.begun()) break;
    if (std::exchange(doubt_, false) || now >= next_look) {
      co_await look(read);
      // Reading the manifest of a large session takes time: rarely, then.
      const auto began = std::exchange(now, clock.monotonic());
      const auto took = now - began;
      next_look = now + std::max<std::chrono::nanoseconds>(context_.gap_check, took * 10);
      continue;
    }
    wake_.expires_after(std::min(deadline, next_look) - now);
    co_await loop::wait_on(wake_);
    now = clock.monotonic();
  }
  peer.unwatch();
}

}  // namespace toolway::gateway::mailbox
