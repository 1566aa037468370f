#include "tests/simulation/edit_call.h"

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::simulation {

using gateway::calls::LogEdit;
using gateway::calls::LogEditStep;

EditCall::EditCall(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
                   const Clock& clock, LogEdit edit, Done done)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      clock_(clock),
      edit_(std::move(edit)),
      done_(std::move(done)) {}

void EditCall::carry(LogEditStep step) {
  using Kind = LogEditStep::Kind;
  const std::string_view events = proto::kEventsStream;
  switch (step.kind) {
    case Kind::kReadLog:
      return bus_.last_message(events, edit_.subject(), bus::ReadFrom::kLeader,
                               hand_to(&LogEdit::read));
    case Kind::kReadWindow: return bus_.stream_state(events, hand_to(&LogEdit::window));
    case Kind::kReadOldest:
      return bus_.next_message(events, "event.>", step.sequence, bus::ReadFrom::kLeader,
                               hand_to(&LogEdit::oldest));
    case Kind::kLookUp: return look_up();
    case Kind::kPublish:
      return bus_.publish(std::move(step.publication), hand_to(&LogEdit::published));
    case Kind::kTell:
      return bus_.request(proto::control_subject(step.worker), edit_.request().SerializeAsString(),
                          [self = shared_from_this()](const Result<std::string>& answer) {
                            self->carry(self->edit_.told(answer, self->now()));
                          });
    case Kind::kPause:
      return process_->after(step.delay, [self = shared_from_this()] {
        self->carry(self->edit_.resumed(self->now()));
      });
    case Kind::kDone:
      if (done_) done_(step);
      return;
    case Kind::kFailed: return;  // the client is answered
  }
}

void EditCall::look_up() {
  bus_.request(std::string(proto::kLookupSubject), proto::lookup_question(edit_.call().call_id),
               [next = hand_to(&LogEdit::looked_up)](const Result<std::string>& text) {
                 next(text ? proto::decode_lookup_answer(*text) : fail(text.error()));
               });
}

std::optional<gateway::calls::KnownCall> to_cancel(const v1::CallRequest& request,
                                                   const Tables& tables, Server& server) {
  persistence::store::RecordedCall call;
  call.call_id = request.call_id();
  call.session_key = request.session_key();
  call.tenant_id = request.tenant_id();
  call.user_id = request.user_id();
  call.session_id = request.session_id();
  call.labels = request.labels();
  call.submitted_at = from_unix_us(request.submitted_at_us());
  const auto last = tables.last_event(request.call_id());
  if (last) call.attempt = last->event.attempt();
  if (last && last->event.has_completed()) call.completion = last->event;
  call.held = request.has_hold() && call.attempt == 0;
  if (last || tables.knows(request.call_id())) return gateway::calls::KnownCall(std::move(call));
  const ServerStream& stream = *server.stream(proto::kCallsStream);
  for (std::uint64_t at = stream.first; at <= stream.last(); ++at) {
    if (proto::decode_call(stream.at(at)->payload)->call_id() != request.call_id()) continue;
    return gateway::calls::KnownCall(std::move(call), stream.at(at)->stored_at);
  }
  return std::nullopt;
}

}  // namespace toolway::simulation
