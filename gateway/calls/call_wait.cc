#include "gateway/calls/call_wait.h"

#include <algorithm>

#include "base/try.h"
#include "gateway/wire/caller.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

CallWait::CallWait(const WaitContext& context, const v1::CallRequest& request,
                   wire::UserPlaces::Place place)
    : context_(context),
      place_(std::move(place)),
      call_(*CallId::parse(request.call_id())),
      share_(context.memory, wire::MemoryUse::kAnswer) {
  look_->subject = proto::event_subject(*SessionKey::parse(request.session_key()), call_);
  look_->told = [this](const v1::CallEvent& event) { settle(event); };
}

std::unique_ptr<CallWait> CallWait::create(const WaitContext& context,
                                           const v1::CallRequest& request) {
  auto place = context.places.enter(wire::owner_name(request.tenant_id(), request.user_id()));
  if (!place) return nullptr;
  std::unique_ptr<CallWait> wait(new CallWait(context, request, std::move(place)));
  return wait->share_.try_resize(kHeld) ? std::move(wait) : nullptr;
}

loop::Task<Result<void>> CallWait::follow(loop::Timer& wake, WaitRoom& room) {
  wake_ = &wake;
  room_ = &room;
  CO_ASSIGN_OR_RETURN(lease_, co_await context_.live.follow_call(call_, *this));
  co_return Result<void>();
}

void CallWait::on_live(const live::LiveEventPtr& event) { settle(event->event); }

void CallWait::on_connection(bus::Connection state) {
  if (state == bus::Connection::kDisconnected) return;
  doubt_ = true;
  wake_->cancel();
}

void CallWait::settle(const v1::CallEvent& event) {
  if (ended_ || !event.has_completed()) return;
  ended_ = true;
  // Once here, and once as text in the answer.
  const std::size_t bytes = event.ByteSizeLong();
  if (bytes <= room_->bytes && share_.try_resize(kHeld + bytes * 2)) {
    room_->bytes -= bytes;
    completion_ = event;
  }
  wake_->cancel();
}

loop::Task<void> CallWait::recall() {
  constexpr std::chrono::seconds kForNats{2};
  co_await context_.looks.ask(*look_, kForNats);
  if (ended_) co_return;
  auto read = [call = call_](persistence::store::StoreReader& store) { return store.call(call); };
  auto recorded =
      co_await context_.store.run<std::optional<persistence::store::RecordedCall>>(std::move(read));
  if (recorded && *recorded && (*recorded)->completion) settle(*(*recorded)->completion);
}

loop::Task<void> wait_for(const WaitContext& context, const std::vector<CallWait*>& calls,
                          loop::Timer& wake, MonotonicTime deadline, wire::PeerWatch& peer) {
  const auto is_done = [](const CallWait* call) { return call->ended(); };
  MonotonicTime now = context.clock.monotonic();
  MonotonicTime next_look = now + context.gap_check;
  peer.watch(wake);
  while (!std::all_of(calls.begin(), calls.end(), is_done)) {
    if (now >= deadline || peer.gone() || context.drain.begun()) break;
    bool doubt = false;
    for (CallWait* call : calls) doubt = call->take_doubt() || doubt;
    if (doubt || now >= next_look) {
      for (CallWait* call : calls) {
        if (!call->ended()) call->look();
      }
      next_look = now + context.gap_check;
    }
    wake.expires_after(std::min(deadline, next_look) - now);
    co_await loop::wait_on(wake);
    now = context.clock.monotonic();
  }
  peer.unwatch();
}

}  // namespace toolway::gateway::calls
