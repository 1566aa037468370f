#include "tests/simulation/cancelling.h"

#include <algorithm>

#include "gateway/calls/cancel_plan.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kCancelWithin{1};
constexpr milliseconds kAgain{20};
constexpr milliseconds kTellAgain{100};
constexpr std::chrono::seconds kEndHolds{10};

}  // namespace

Cancelling::Cancelling(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
                       const Clock& clock, const Tables& tables, persistence::RecordedCall call)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      clock_(clock),
      tables_(tables),
      call_(std::move(call)),
      subject_(proto::event_subject(*SessionKey::parse(call_.session_key), *CallId::parse(call_.call_id))),
      deadline_(clock.monotonic() + kCancelWithin) {}

void Cancelling::again(Micros delay) {
  if (clock_.monotonic() >= deadline_) return;
  process_->after(delay, [self = shared_from_this()] { self->read(); });
}

void Cancelling::read() {
  asked_ = clock_.monotonic();
  bus_.last_message(proto::kEventsStream, subject_, bus::ReadFrom::kLeader,
                    [self = shared_from_this()](Result<bus::StoredMessage> last) {
                      if (last) return self->decide(*proto::decode_event(last->payload), last->sequence);
                      if (last.error().code != ErrorCode::kNotFound) return self->again(kAgain);
                      // What is recorded but not in the stream has left it: only collectors know.
                      const bool began = self->tables_.last_event(self->call_.call_id).has_value();
                      began ? self->look_up() : self->decide(std::nullopt, 0);
                    });
}

void Cancelling::look_up() {
  v1::LookupRequest question;
  question.set_call_id(call_.call_id);
  bus_.request(std::string(proto::kLookupSubject), question.SerializeAsString(),
               [self = shared_from_this()](const Result<std::string>& text) {
                 v1::LookupAnswer answer;
                 if (!text || !answer.ParseFromString(*text)) return self->again(kAgain);
                 if (answer.last_event().empty()) return self->decide(std::nullopt, 0);
                 self->decide(*proto::decode_event(answer.last_event()), 0);
               });
}

void Cancelling::decide(const std::optional<v1::CallEvent>& last, std::uint64_t sequence) {
  if (clock_.monotonic() - asked_ >= kEndHolds) return again(Micros(0));
  switch (gateway::next_cancel_step(last)) {
    case gateway::CancelStep::kDone: return;
    case gateway::CancelStep::kTell: return tell(last->worker_id());
    case gateway::CancelStep::kRequest:
      return publish(gateway::cancel_request(call_, last, "no longer wanted", clock_.wall()), sequence);
    case gateway::CancelStep::kComplete:
      return publish(gateway::cancelled_completion(*last, clock_.wall()), sequence);
  }
}

void Cancelling::publish(const v1::CallEvent& event, std::uint64_t expected_last) {
  bus_.publish({.subject = subject_, .payload = proto::encode(event), .expected_last = expected_last},
               [self = shared_from_this()](Result<bus::PubAck> stored) {
                 const bool known = stored || stored.error().code == ErrorCode::kWrongLastSequence;
                 self->again(known ? Micros(0) : Micros(kAgain));
               });
}

void Cancelling::tell(const std::string& worker_id) {
  if (clock_.monotonic() + bus::Bus::kAnswerWithin > deadline_) return;
  v1::ControlRequest request;
  request.set_call_id(call_.call_id);
  bus_.request(proto::control_subject(worker_id), request.SerializeAsString(),
               [self = shared_from_this(), worker_id](Result<std::string> answer) {
                 if (answer) return;
                 self->process_->after(kTellAgain, [self, worker_id] { self->tell(worker_id); });
               });
}

}  // namespace toolway::simulation
