#include "tests/simulation/gateway_life.h"

#include "gateway/calls/cancel_plan.h"
#include "gateway/calls/decide_plan.h"
#include "gateway/calls/publication.h"
#include "gateway/gateway.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/publication.h"
#include "proto/questions.h"
#include "proto/subjects.h"
#include "tests/simulation/edit_call.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::simulation {

void GatewayLife::die() {
  process_->die();
  followers_.clear();
}

void GatewayLife::follow(const Tables& tables, Reader& reader) {
  followers_.push_back(std::make_shared<Follower>(around_, process_, bus_, clock_, tables, reader));
  followers_.back()->begin();
}

void GatewayLife::cancel(const v1::CallRequest& request, const Tables& tables) {
  auto call = to_cancel(request, tables, around_.server);
  if (!call) return;  // 404
  around_.world.note("{}: cancels {}", process_->name(), request.call_id());
  auto edit = gateway::calls::cancelling(std::move(*call), "no longer wanted",
                                         clock_.monotonic() + gateway::calls::LogEdit::kTimeLimit);
  std::make_shared<EditCall>(around_, process_, bus_, clock_, std::move(edit))->begin();
}

void GatewayLife::answer(const v1::CallRequest& request, gateway::calls::Answers answers,
                         const Tables& tables) {
  auto call = to_cancel(request, tables, around_.server);
  if (!call) return;  // 404
  around_.world.note("{}: answers {}", process_->name(), request.call_id());
  gateway::calls::ToAnswer given(std::move(answers), gateway::calls::ToAnswer::Unasked::kLeftOut,
                                 "user");
  auto edit = gateway::calls::answering(std::move(*call), std::move(given),
                                        clock_.monotonic() + gateway::calls::LogEdit::kTimeLimit);
  auto done = [this, request](const gateway::calls::LogEditStep& step) {
    if (step.last && proto::is_parked_and_answered(*step.last)) resume(request, *step.last);
  };
  std::make_shared<EditCall>(around_, process_, bus_, clock_, std::move(edit), std::move(done))
      ->begin();
}

void GatewayLife::resume(v1::CallRequest request, const v1::CallEvent& answered) {
  around_.world.note("{}: publishes {} again, answered", process_->name(), request.call_id());
  request.set_publication(proto::kAnswered + answered.attempt());
  bus_.publish(gateway::calls::call_publication(request, proto::Lane::kNormal, 0),
               [](const Result<bus::PubAck>&) {});
}

namespace {

std::string digest_of(const v1::CallRequest& request) {
  return proto::approval_digest(
      request, tools::matching::arguments_digest(*parse_json(request.arguments())));
}

}  // namespace

void GatewayLife::decide(const std::string& call_id, v1::Vote vote, const Tables& tables) {
  std::optional<v1::CallRequest> request;
  for (const auto& [sequence, message] : tables.calls()) {
    auto recorded = proto::decode_call(message.payload);
    if (recorded->call_id() == call_id) request = std::move(*recorded);
  }
  if (!request || !request->has_hold()) return;  // 404, or 409
  vote.set_at_us(to_unix_us(clock_.wall()));
  around_.world.note("{}: {} {} {}", process_->name(), vote.user_id(),
                     vote.approve() ? "approves" : "denies", call_id);
  const bool approves = vote.approve();
  auto edit = gateway::calls::deciding(
      {.request = *request, .digest = digest_of(*request), .vote = std::move(vote)},
      clock_.monotonic() + gateway::calls::LogEdit::kTimeLimit);
  auto done = [this, approves, request = *request](const gateway::calls::LogEditStep& step) {
    if (approves && step.last && step.last->has_approval_decided() &&
        !step.last->approved().empty())
      release(request, *step.last);
  };
  std::make_shared<EditCall>(around_, process_, bus_, clock_, std::move(edit), std::move(done))
      ->begin();
}

void GatewayLife::release(const v1::CallRequest& request, const v1::CallEvent& approved) {
  bus_.publish(
      gateway::calls::call_publication(proto::released(request, approved), proto::Lane::kNormal, 0),
      [](const Result<bus::PubAck>&) {});
}

void GatewayLife::forge(const v1::CallRequest& request) {
  around_.world.note("{}: publishes {} past its approval", process_->name(), request.call_id());
  bus_.publish({.subject = proto::call_subject(request.pool(), proto::Lane::kNormal, 0,
                                               *SessionKey::parse(request.session_key())),
                .payload = proto::encode(request)},
               [](const Result<bus::PubAck>&) {});
}

/// What the clients' request says of its hold is a time to live.
v1::CallRequest GatewayLife::stamped(v1::CallRequest request) const {
  const auto now = to_unix_us(clock_.wall());
  request.set_submitted_at_us(now);
  if (request.has_hold())
    request.mutable_hold()->set_expires_at_us(now + request.hold().expires_at_us());
  return request;
}

void GatewayLife::submit(v1::CallRequest request) {
  request = stamped(std::move(request));
  checker_.submitted(request, {});
  publish(request,
          [this, id = request.call_id()](Checker::Fate fate) { checker_.answered(id, fate); });
}

void GatewayLife::submit(v1::CallRequest request, const std::string& key) {
  submit(std::move(request), key, {});
}

void GatewayLife::submit(v1::CallRequest request, const std::string& key,
                         std::function<void(KeyAnswer)> told, MayStart may_start) {
  request = stamped(std::move(request));
  around_.world.note("{}: is asked for {} under key {}", process_->name(), request.call_id(), key);
  std::make_shared<KeyedRequest>(around_, process_, bus_, clock_, checker_, key, std::move(request))
      ->begin([this](const v1::CallRequest& call,
                     std::function<void(Checker::Fate)> then) { publish(call, std::move(then)); },
              std::move(told), may_start);
}

void GatewayLife::publish(v1::CallRequest request, std::function<void(Checker::Fate)> then) {
  if (holds_ == Holds::kForgets) request.clear_hold();
  if (proto::waits_for_approval(request)) {
    then = [this, request, then = std::move(then)](Checker::Fate fate) {
      if (fate == Checker::Fate::kAccepted) {
        const auto asked = proto::approval_request(request, digest_of(request), clock_.wall());
        bus_.publish({.subject = proto::event_subject(*SessionKey::parse(request.session_key()),
                                                      *CallId::parse(request.call_id())),
                      .payload = proto::encode(asked),
                      .expected_last = 0},
                     [](const Result<bus::PubAck>&) {});
      }
      then(fate);
    };
  }
  const auto partition = proto::partition_of(*SessionKey::parse(request.session_key()), 1);
  auto submitted = std::make_shared<Submitted>(Submitted{
      .publication = gateway::calls::call_publication(request, proto::Lane::kNormal, partition),
      .submission = gateway::calls::Submission(clock_.monotonic() +
                                               gateway::GatewayOptions().accept_deadline),
      .then = std::move(then)});
  around_.world.note("{}: submits {} ({})", process_->name(), request.call_id(),
                     request.labels().tool());
  carry(submitted, submitted->submission.begin());
}

void GatewayLife::carry(const std::shared_ptr<Submitted>& submitted,
                        const gateway::calls::SubmitStep& step) {
  using Kind = gateway::calls::SubmitStep::Kind;
  switch (step.kind) {
    case Kind::kPublish:
      return bus_.publish(submitted->publication, [this, submitted](Result<bus::PubAck> ack) {
        carry(submitted, submitted->submission.answered(std::move(ack), clock_.monotonic()));
      });
    case Kind::kPause:
      return process_->after(step.delay, [this, submitted] {
        carry(submitted, submitted->submission.resumed(clock_.monotonic()));
      });
    case Kind::kAccepted: return submitted->then(Checker::Fate::kAccepted);
    case Kind::kRefused: return submitted->then(Checker::Fate::kRefused);
    case Kind::kUnknown: return submitted->then(Checker::Fate::kNotKnown);
  }
}

}  // namespace toolway::simulation
