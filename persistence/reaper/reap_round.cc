#include "persistence/reaper/reap_round.h"

#include <utility>

#include "base/try.h"
#include "persistence/reaper/reaper_log.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/publication.h"
#include "proto/subjects.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::persistence::reaper {

namespace {

ReapStep::Kind step_of(ReapKind kind) {
  if (kind == ReapKind::kPublish) return ReapStep::Kind::kPublish;
  if (kind == ReapKind::kRequestApproval) return ReapStep::Kind::kRequestApproval;
  return ReapStep::Kind::kComplete;
}

}  // namespace

ReapStep ReapRound::look_at(ReapFacts facts, MonotonicTime now, WallTime wall) {
  if (stale(now)) return {.kind = ReapStep::Kind::kAskPostgres};
  facts_ = std::move(facts);
  now_ = wall;
  read_log_ = false;
  in_stream_.reset();
  decision_ = reap(facts_, recorded_, now_, rules_);
  return decision_.asks_queue_state ? ReapStep{.kind = ReapStep::Kind::kAskQueueState} : decided();
}

ReapStep ReapRound::queue_state(QueueState found) {
  facts_.queue_state = found;
  decision_ = reap(facts_, recorded_, now_, rules_);
  return decided();
}

ReapStep ReapRound::read(std::optional<store::RecordedEvent> last, MonotonicTime now) {
  if (stale(now)) return {.kind = ReapStep::Kind::kAskPostgres};
  read_log_ = true;
  in_stream_ = std::move(last);
  if (in_stream_ && (!facts_.last || in_stream_->event.seq() > facts_.last->event.seq())) {
    facts_.last = in_stream_;
    decision_ = reap(facts_, recorded_, now_, rules_);
  }
  return decided();
}

ReapStep ReapRound::decided() {
  switch (decision_.kind) {
    case ReapKind::kForget: return {.kind = ReapStep::Kind::kForget};
    case ReapKind::kWait: return {.kind = ReapStep::Kind::kWatch, .look_at = decision_.look_at};
    case ReapKind::kPublish:
    case ReapKind::kRequestApproval:
    case ReapKind::kComplete: break;
  }
  // What is recorded is a hint; the stream decides.
  if (!read_log_) return {.kind = ReapStep::Kind::kReadLog};
  return {
      .kind = step_of(decision_.kind), .look_at = now_ + rules_.look_again, .decision = decision_};
}

Result<bus::Publication> ReapRound::publication(v1::CallRequest request,
                                                std::string subject) const {
  ASSIGN_OR_RETURN(const auto id, CallId::parse(request.call_id()));
  if (decision_.publication == proto::kReleased) {
    request = proto::released(std::move(request), facts_.last->event);
  } else {
    request.set_publication(decision_.publication);
  }
  return bus::Publication{.subject = std::move(subject),
                          .payload = proto::encode(request),
                          .message_id = proto::call_message_id(id, decision_.publication)};
}

Result<bus::Publication> ReapRound::approval_request(const v1::CallRequest& request,
                                                     WallTime now) const {
  ASSIGN_OR_RETURN(const auto arguments, parse_json(request.arguments()));
  auto digest = proto::approval_digest(request, tools::matching::arguments_digest(arguments));
  ASSIGN_OR_RETURN(auto subject, log_subject(request));
  return bus::Publication{
      .subject = std::move(subject),
      .payload = proto::encode(proto::approval_request(request, std::move(digest), now)),
      .expected_last = 0};
}

Result<bus::Publication> ReapRound::completion(WallTime now) const {
  const auto* last = in_stream_ ? &in_stream_->event : facts_.last ? &facts_.last->event : nullptr;
  ASSIGN_OR_RETURN(auto subject, log_subject(facts_.request));
  return bus::Publication{.subject = std::move(subject),
                          .payload = proto::encode(completion_of(facts_, last, decision_, now)),
                          .expected_last = in_stream_ ? in_stream_->position.sequence : 0};
}

}  // namespace toolway::persistence::reaper
