#include "tests/simulation/gateway_life.h"

#include "proto/codec.h"
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
  checker_.submitted(request);
  const auto session = *SessionKey::parse(request.session_key());
  auto submission = std::make_shared<Submission>();
  submission->publication = {
      .subject = proto::call_subject(request.pool(), proto::Lane::kNormal,
                                     proto::partition_of(session, 1), session),
      .payload = proto::encode(request),
      .message_id = proto::call_message_id(*CallId::parse(request.call_id()), 0)};
  submission->request = std::move(request);
  submission->deadline = clock_.monotonic() + kAcceptDeadline;
  around_.world.note("{}: submits {} ({})", process_->name(), submission->request.call_id(),
                     submission->request.labels().tool());
  publish(submission);
}

void GatewayLife::publish(const std::shared_ptr<Submission>& submission) {
  bus_.publish(submission->publication, [this, submission](Result<bus::PubAck> ack) {
    answered(submission, ack);
  });
}

void GatewayLife::answered(const std::shared_ptr<Submission>& submission,
                           const Result<bus::PubAck>& ack) {
  const std::string& id = submission->request.call_id();
  if (ack) return checker_.answered(id, Checker::Fate::kAccepted);
  submission->sent = submission->sent || ack.error().code == ErrorCode::kTimeout;
  if (!submission->sent) return checker_.answered(id, Checker::Fate::kRefused);
  if (clock_.monotonic() >= submission->deadline) {
    return checker_.answered(id, Checker::Fate::kNotKnown);
  }
  process_->after(kBetween, [this, submission] { publish(submission); });
}

}  // namespace toolway::simulation
