#include "tests/simulation/gateway_life.h"

#include "gateway/calls/publication.h"
#include "gateway/gateway.h"
#include "proto/subjects.h"
#include "tests/simulation/cancel_call.h"

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
  std::make_shared<CancelCall>(around_, process_, bus_, clock_, std::move(*call))->begin();
}

void GatewayLife::submit(v1::CallRequest request) {
  request.set_submitted_at_us(to_unix_us(clock_.wall()));
  checker_.submitted(request, {});
  publish(request,
          [this, id = request.call_id()](Checker::Fate fate) { checker_.answered(id, fate); });
}

void GatewayLife::submit(v1::CallRequest request, const std::string& key) {
  request.set_submitted_at_us(to_unix_us(clock_.wall()));
  around_.world.note("{}: is asked for {} under key {}", process_->name(), request.call_id(), key);
  std::make_shared<KeyedRequest>(around_, process_, bus_, clock_, checker_, key, std::move(request))
      ->begin([this](const v1::CallRequest& call, std::function<void(Checker::Fate)> then) {
        publish(call, std::move(then));
      });
}

void GatewayLife::publish(const v1::CallRequest& request, std::function<void(Checker::Fate)> then) {
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
