#include "gateway/calls/submit.h"

#include <algorithm>

#include "gateway/calls/publication.h"
#include "gateway/calls/submission.h"
#include "proto/codec.h"

namespace toolway::gateway {
namespace {

Problem accept_unknown(const PlannedCall& call) {
  Problem problem{.error = Error{ErrorCode::kAcceptUnknown,
                                 "the call was sent, but the bus did not confirm that it was "
                                 "stored: look up its call_id before sending it again"}};
  problem.call_id = call.request.call_id();
  return problem;
}

/// Carries a `Submission` to its end.
Task<Answer<void>> publish(Services& services, const PlannedCall& call, QueuePlace place,
                           const bus::Publication& publication) {
  Submission submission(services.clock.monotonic() + services.options.accept_deadline);
  SubmitStep step = submission.begin();
  for (;;) {
    switch (step.kind) {
      case SubmitStep::Kind::kPublish: {
        auto ack = co_await services.bus.publish(publication);
        step = submission.answered(std::move(ack), services.clock.monotonic());
        break;
      }
      case SubmitStep::Kind::kPause:
        co_await pause(step.delay);
        step = submission.resumed(services.clock.monotonic());
        break;
      case SubmitStep::Kind::kAccepted:
        services.bus_watch.accepted(call.request, place, step.sequence);
        services.accepted_here.note(*CallId::parse(call.request.call_id()),
                                    step.sequence);  // which this gateway made
        services.count_accepted(call.request);
        co_return Answer<void>();
      case SubmitStep::Kind::kRefused: co_return refuse(refused_by_stream(std::move(*step.error)));
      case SubmitStep::Kind::kUnknown: co_return refuse(accept_unknown(call));
    }
  }
}

}  // namespace

Task<Answer<void>> submit(Services& services, const PlannedCall& call) {
  const auto place = services.bus_watch.admit(call.request);
  if (!place) co_return refuse(place.error());
  // A call noted earlier may be of a version that is gone: its spec was stored then.
  if (call.tool && call.tool->digest == call.request.spec_digest()) {
    auto shelved = co_await services.specs.put(*call.tool);
    if (!shelved) co_return refuse(std::move(shelved.error()));
  }
  const bus::Publication publication =
      call_publication(call.request, place->lane, place->partition);
  const WallTime begun = services.clock.wall();
  auto stored = co_await publish(services, call, *place, publication);
  if (call.trace.sampled() && services.options.tracer->records()) {
    services.options.tracer->end(call.trace.span(
        call.request,
        {.place = *place,
         .message_id = publication.message_id,
         .begun = begun,
         .ended = services.clock.wall(),
         .error_type = stored ? "" : std::string(code_name(stored.error().error.code))}));
  }
  co_return stored;
}

Task<Result<void>> CallWait::follow(Services& services, const v1::CallRequest& request, Timer& wake,
                                    WaitRoom& room) {
  session_ = *SessionKey::parse(request.session_key());
  call_ = *CallId::parse(request.call_id());
  wake_ = &wake;
  room_ = &room;
  share_ = MemoryBudget::Share(services.memory, MemoryUse::kAnswer);
  auto lease = co_await services.live.follow_call(call_, *this);
  if (!lease) co_return fail(std::move(lease.error()));
  lease_ = std::move(*lease);
  co_return Result<void>();
}

void CallWait::on_live(const LiveEventPtr& event) { settle(event->event); }

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
  if (bytes <= room_->bytes && share_.try_resize(bytes * 2)) {
    room_->bytes -= bytes;
    completion_ = event;
  }
  wake_->cancel();
}

Task<void> CallWait::look(Services& services) {
  auto last = co_await services.bus.last_message(proto::kEventsStream,
                                                 proto::event_subject(session_, call_));
  if (!last) co_return;  // not started yet, or no answer: the next check will tell
  if (const auto event = proto::decode_event(last->payload)) settle(*event);
}

Task<void> CallWait::recall(Services& services) {
  co_await look(services);
  if (ended_) co_return;
  auto read = [call = call_](persistence::StoreReader& store) { return store.call(call); };
  auto recorded =
      co_await services.store.run<std::optional<persistence::RecordedCall>>(std::move(read));
  if (recorded && *recorded && (*recorded)->completion) settle(*(*recorded)->completion);
}

Task<void> wait_for(Services& services, const std::vector<CallWait*>& calls, Timer& wake,
                    std::chrono::steady_clock::time_point deadline, PeerWatch& peer) {
  using std::chrono::steady_clock;
  const auto is_done = [](const CallWait* call) { return call->ended(); };
  auto next_look = steady_clock::now() + services.options.gap_check;
  peer.watch(wake);
  while (!std::all_of(calls.begin(), calls.end(), is_done)) {
    const auto now = steady_clock::now();
    if (now >= deadline || peer.gone() || services.drain.begun()) break;
    bool doubt = false;
    for (CallWait* call : calls) doubt = call->take_doubt() || doubt;
    if (doubt || now >= next_look) {
      for (CallWait* call : calls) {
        if (!call->ended()) co_await call->look(services);
      }
      next_look = steady_clock::now() + services.options.gap_check;
      continue;
    }
    wake.expires_at(std::min(deadline, next_look));
    co_await wait_on(wake);
  }
  peer.unwatch();
}

}  // namespace toolway::gateway
