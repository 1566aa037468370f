#include "tests/simulation/keyed_request.h"

#include "gateway/gateway.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::simulation {
namespace {

using gateway::calls::KeyStep;
using v1::IdempotencyRecord;

constexpr std::string_view kDigest = "of the body";

gateway::calls::Published published(Checker::Fate fate) {
  switch (fate) {
    case Checker::Fate::kAccepted: return gateway::calls::Published::kAccepted;
    case Checker::Fate::kRefused: return gateway::calls::Published::kRefused;
    case Checker::Fate::kSubmitted:
    case Checker::Fate::kNotKnown: break;
  }
  return gateway::calls::Published::kUnknown;
}

}  // namespace

KeyedRequest::KeyedRequest(const Surroundings& around, std::shared_ptr<Process> process,
                           NodeBus& bus, const Clock& clock, Checker& checker, std::string key,
                           v1::CallRequest planned)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      clock_(clock),
      checker_(checker),
      keys_(bus, std::string(proto::kIdempotencyBucket)),
      key_(std::move(key)),
      plan_(std::move(planned)) {}

void KeyedRequest::begin(PublishCall publish, std::function<void(KeyAnswer)> told,
                         MayStart may_start) {
  publish_ = std::move(publish);
  told_ = std::move(told);
  may_start_ = may_start;
  read();
}

void KeyedRequest::tell(KeyAnswer::What what) {
  if (told_) std::exchange(told_, {})({what, plan_});
}

void KeyedRequest::read() {
  keys_.get(key_,
            [self = shared_from_this()](const Result<bus::Entry>& found) { self->met(found); });
}

void KeyedRequest::met(const Result<bus::Entry>& found) {
  auto entry = gateway::calls::key_entry(found);
  if (!entry) return tell(KeyAnswer::What::kFailed);  // 503
  entry_ = std::move(*entry);
  if (gateway::calls::is_own_note(entry_, written_)) return settle();
  if (tries_ == gateway::calls::kMaxKeyTries) return tell(KeyAnswer::What::kFailed);  // 409
  obey();
}

void KeyedRequest::obey() {
  const auto patience = gateway::calls::key_patience(gateway::GatewayOptions().accept_deadline);
  step_ = gateway::calls::next_key_step(entry_, kDigest, clock_.wall(), patience);
  switch (step_) {
    case KeyStep::kClaim: return may_start_ == MayStart::kYes ? claim() : give_up();
    case KeyStep::kPublishAgain:
      plan_ = gateway::calls::published_again(*proto::decode_call(entry_.record->call()));
      return claim();
    case KeyStep::kReplay:
      plan_ = *proto::decode_call(entry_.record->call());
      return known("its record");
    case KeyStep::kInFlight:
    case KeyStep::kReused: return tell(KeyAnswer::What::kFailed);  // 409, 422
    case KeyStep::kGivenUp: return tell(KeyAnswer::What::kNeverStarted);
  }
}

void KeyedRequest::claim() {
  checker_.submitted(plan_, key_);
  written_ =
      gateway::calls::key_record(IdempotencyRecord::STATE_IN_FLIGHT, kDigest, plan_, clock_.wall());
  keys_.put(key_, written_.SerializeAsString(), entry_.revision,
            [self = shared_from_this()](const Result<std::uint64_t>& revision) {
              if (revision) {
                self->entry_ = {self->written_, *revision};
                return self->settle();
              }
              self->read_again(revision.error());
            });
}

void KeyedRequest::read_again(const Error& error) {
  const auto delay = gateway::calls::read_key_again(error.code, ++tries_);
  if (!delay) return tell(KeyAnswer::What::kFailed);
  process_->after(*delay, [self = shared_from_this()] { self->read(); });
}

/// In place of a call, so that none is made under the key.
void KeyedRequest::give_up() {
  const auto record = gateway::calls::given_up_record(clock_.wall());
  keys_.put(key_, record.SerializeAsString(), entry_.revision,
            [self = shared_from_this()](const Result<std::uint64_t>& revision) {
              if (revision) return self->tell(KeyAnswer::What::kNeverStarted);
              self->read_again(revision.error());
            });
}

void KeyedRequest::settle() {
  if (step_ != KeyStep::kPublishAgain) return publish();
  const auto subject = proto::event_subject(*SessionKey::parse(plan_.session_key()),
                                            *CallId::parse(plan_.call_id()));
  bus_.last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader,
                    [self = shared_from_this()](const Result<bus::StoredMessage>& last) {
                      if (!last) return self->look_up();
                      self->known("its events");
                      self->note(IdempotencyRecord::STATE_ACCEPTED);
                    });
}

void KeyedRequest::look_up() {
  bus_.request(std::string(proto::kLookupSubject), proto::lookup_question(plan_.call_id()),
               [self = shared_from_this()](const Result<std::string>& text) {
                 const auto answer = text ? proto::decode_lookup_answer(*text) : fail(text.error());
                 switch (gateway::calls::settled_by(self->plan_, answer)) {
                   case gateway::calls::Settled::kPublish: return self->publish();
                   case gateway::calls::Settled::kNotSure:
                     return self->tell(KeyAnswer::What::kFailed);  // 503
                   case gateway::calls::Settled::kKnown: break;
                 }
                 self->known("the collectors");
                 self->note(IdempotencyRecord::STATE_ACCEPTED);
               });
}

void KeyedRequest::known(const char* by) {
  around_.world.note("{}: {} says that {} is accepted", process_->name(), by, plan_.call_id());
  checker_.answered(plan_.call_id(), Checker::Fate::kAccepted);
  tell(KeyAnswer::What::kAccepted);
}

void KeyedRequest::publish() {
  publish_(plan_, [self = shared_from_this()](Checker::Fate fate) {
    const auto state = gateway::calls::key_state(self->step_, published(fate));
    if (state) self->note(*state);
    if (!state) fate = Checker::Fate::kNotKnown;
    // A refusal counts once it is noted.
    if (fate != Checker::Fate::kRefused) self->checker_.answered(self->plan_.call_id(), fate);
    self->tell(fate == Checker::Fate::kAccepted ? KeyAnswer::What::kAccepted
                                                : KeyAnswer::What::kFailed);
  });
}

void KeyedRequest::note(IdempotencyRecord::State state) {
  const auto record = gateway::calls::key_record(state, kDigest, plan_, clock_.wall());
  keys_.put(key_, record.SerializeAsString(), entry_.revision,
            [self = shared_from_this(), state](const Result<std::uint64_t>& noted) {
              // Only then: another request under the key may have taken the call over and published
              // it.
              const bool freed = noted && state == IdempotencyRecord::STATE_FREE;
              if (freed) self->checker_.answered(self->plan_.call_id(), Checker::Fate::kRefused);
            });
}

}  // namespace toolway::simulation
