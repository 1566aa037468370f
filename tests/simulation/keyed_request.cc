#include "tests/simulation/keyed_request.h"

#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::simulation {
namespace {

using gateway::KeyStep;
using v1::IdempotencyRecord;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{6000};  // accept_deadline and a second
constexpr milliseconds kBetween{20};
constexpr int kTries = 5;
constexpr std::string_view kDigest = "of the body";

}  // namespace

KeyedRequest::KeyedRequest(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
                           const Clock& clock, Checker& checker, std::string key, v1::CallRequest planned)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      clock_(clock),
      checker_(checker),
      keys_(bus, std::string(proto::kIdempotencyBucket)),
      key_(std::move(key)),
      plan_(std::move(planned)) {}

void KeyedRequest::begin(PublishCall publish) {
  publish_ = std::move(publish);
  read();
}

void KeyedRequest::read() {
  keys_.get(key_, [self = shared_from_this()](const Result<bus::Entry>& found) { self->met(found); });
}

void KeyedRequest::met(const Result<bus::Entry>& found) {
  if (!found && found.error().code != ErrorCode::kNotFound) return;  // 503
  entry_ = {};
  if (found) {
    entry_.revision = found->revision;
    IdempotencyRecord record;
    if (!record.ParseFromString(found->value)) throw std::logic_error("a record that cannot be read");
    entry_.record = std::move(record);
  }
  // The answer to its write was lost.
  if (entry_.record && entry_.record->SerializeAsString() == written_) return settle();
  obey();
}

void KeyedRequest::obey() {
  step_ = next_key_step(entry_, kDigest, clock_.wall(), kPatience);
  switch (step_) {
    case KeyStep::kClaim: return claim();
    case KeyStep::kPublishAgain:
      plan_ = gateway::published_again(*proto::decode_call(entry_.record->call()));
      return claim();
    case KeyStep::kReplay:
      plan_ = *proto::decode_call(entry_.record->call());
      return known("its record");
    case KeyStep::kInFlight:
    case KeyStep::kReused: return;  // 409, 422
  }
}

void KeyedRequest::claim() {
  checker_.submitted(plan_, key_);
  const auto record = gateway::key_record(IdempotencyRecord::STATE_IN_FLIGHT, kDigest, plan_, clock_.wall());
  written_ = record.SerializeAsString();
  keys_.put(key_, written_, entry_.revision, [self = shared_from_this(), record](Result<std::uint64_t> revision) {
    if (revision) {
      self->entry_ = {record, *revision};
      return self->settle();
    }
    const auto code = revision.error().code;
    const bool lost = code == ErrorCode::kWrongLastSequence || code == ErrorCode::kTimeout;
    if (!lost || ++self->tries_ == kTries) return;
    self->process_->after(self->tries_ == 1 ? milliseconds(0) : kBetween, [self] { self->read(); });
  });
}

void KeyedRequest::settle() {
  if (step_ != KeyStep::kPublishAgain) return publish();
  const auto subject = proto::event_subject(*SessionKey::parse(plan_.session_key()), *CallId::parse(plan_.call_id()));
  bus_.last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader,
                    [self = shared_from_this()](const Result<bus::StoredMessage>& last) {
                      if (!last) return self->look_up();
                      self->known("its events");
                      self->note(IdempotencyRecord::STATE_ACCEPTED);
                    });
}

void KeyedRequest::look_up() {
  v1::LookupRequest question;
  question.set_call_id(plan_.call_id());
  bus_.request(std::string(proto::kLookupSubject), question.SerializeAsString(),
               [self = shared_from_this()](const Result<std::string>& text) {
                 v1::LookupAnswer answer;
                 if (!text || !answer.ParseFromString(*text) || !answer.known()) return self->publish();
                 self->known("the collectors");
                 self->note(IdempotencyRecord::STATE_ACCEPTED);
               });
}

void KeyedRequest::known(const char* by) {
  around_.world.note("{}: {} says that {} is accepted", process_->name(), by, plan_.call_id());
  checker_.answered(plan_.call_id(), Checker::Fate::kAccepted);
}

void KeyedRequest::publish() {
  publish_(plan_, [self = shared_from_this()](Checker::Fate fate) {
    if (fate == Checker::Fate::kAccepted) {
      self->checker_.answered(self->plan_.call_id(), fate);
      return self->note(IdempotencyRecord::STATE_ACCEPTED);
    }
    // The fate of a publication without an answer is unknown, be it this one or the noted one.
    if (fate == Checker::Fate::kNotKnown || self->step_ == KeyStep::kPublishAgain) {
      return self->checker_.answered(self->plan_.call_id(), Checker::Fate::kNotKnown);
    }
    self->note(IdempotencyRecord::STATE_FREE);
  });
}

void KeyedRequest::note(IdempotencyRecord::State state) {
  const auto record = gateway::key_record(state, kDigest, plan_, clock_.wall());
  keys_.put(key_, record.SerializeAsString(), entry_.revision,
            [self = shared_from_this(), state](const Result<std::uint64_t>& noted) {
              // Only then: another request under the key may have taken the call over and published it.
              const bool freed = noted && state == IdempotencyRecord::STATE_FREE;
              if (freed) self->checker_.answered(self->plan_.call_id(), Checker::Fate::kRefused);
            });
}

}  // namespace toolway::simulation
