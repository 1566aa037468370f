#include "tests/simulation/gateway_life.h"

#include "gateway/calls/publication.h"
#include "proto/subjects.h"
#include "tests/simulation/cancelling.h"

namespace toolway::simulation {
namespace {

constexpr std::chrono::milliseconds kBetween{50};
constexpr std::chrono::seconds kAcceptDeadline{5};

}  // namespace

void GatewayLife::die() {
  process_->die();
  followers_.clear();
}

void GatewayLife::follow(const Tables& tables, Reader& reader) {
  followers_.push_back(std::make_shared<Follower>(around_, process_, bus_, tables, reader));
  followers_.back()->begin();
}

void GatewayLife::cancel(const v1::CallRequest& request, const Tables& tables) {
  persistence::RecordedCall call;
  call.call_id = request.call_id();
  call.session_key = request.session_key();
  call.tenant_id = request.tenant_id();
  call.user_id = request.user_id();
  call.session_id = request.session_id();
  call.labels = request.labels();
  call.submitted_at = from_unix_us(request.submitted_at_us());
  around_.world.note("{}: cancels {}", process_->name(), request.call_id());
  std::make_shared<Cancelling>(around_, process_, bus_, clock_, tables, std::move(call))->begin();
}

void GatewayLife::submit(v1::CallRequest request) {
  request.set_submitted_at_us(to_unix_us(clock_.wall()));
  checker_.submitted(request, {});
  publish(request, [this, id = request.call_id()](Checker::Fate fate) { checker_.answered(id, fate); });
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
  auto submission = std::make_shared<Submission>();
  submission->publication = gateway::call_publication(request, proto::Lane::kNormal, partition);
  submission->request = request;
  submission->then = std::move(then);
  submission->deadline = clock_.monotonic() + kAcceptDeadline;
  around_.world.note("{}: submits {} ({})", process_->name(), request.call_id(), request.labels().tool());
  publish(submission);
}

void GatewayLife::publish(const std::shared_ptr<Submission>& submission) {
  if (submission->sent && clock_.monotonic() >= submission->deadline) {
    return submission->then(Checker::Fate::kNotKnown);
  }
  bus_.publish(submission->publication, [this, submission](Result<bus::PubAck> ack) {
    answered(submission, ack);
  });
}

void GatewayLife::answered(const std::shared_ptr<Submission>& submission,
                           const Result<bus::PubAck>& ack) {
  if (ack) return submission->then(Checker::Fate::kAccepted);
  submission->sent = submission->sent || ack.error().code == ErrorCode::kTimeout;
  if (!submission->sent) return submission->then(Checker::Fate::kRefused);
  if (clock_.monotonic() >= submission->deadline) return submission->then(Checker::Fate::kNotKnown);
  process_->after(kBetween, [this, submission] { publish(submission); });
}

}  // namespace toolway::simulation
