#include "gateway/calls/submit.h"

#include "base/try.h"
#include "gateway/calls/publication.h"
#include "gateway/calls/submission.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::calls {
namespace {

/// The first event of a held call. If it cannot be stored now, the reaper writes it.
loop::Task<void> request_approval(const SubmitContext& context, const PlannedCall& call) {
  const auto& request = call.request;
  std::string digest = call.approval_digest;
  if (digest.empty()) {  // a call noted under its Idempotency-Key
    const auto arguments = parse_json(request.arguments());
    if (!arguments) co_return;
    digest = proto::approval_digest(request, tools::matching::arguments_digest(*arguments));
  }
  bus::Publication first{.subject = proto::event_subject(*SessionKey::parse(request.session_key()),
                                                         *CallId::parse(request.call_id())),
                         .payload = proto::encode(proto::approval_request(
                             request, std::move(digest), context.clock.wall())),
                         .expected_last = 0};
  (void)co_await context.bus.publish(std::move(first));
}

/// Carries a `Submission` to its end.
loop::Task<wire::HttpResult<void>> publish(const SubmitContext& context, const PlannedCall& call,
                                           admission::QueuePlace place,
                                           const bus::Publication& publication,
                                           admission::WaitingPlacePtr counted) {
  Submission submission(context.clock.monotonic() + context.accept_deadline);
  SubmitStep step = submission.begin();
  for (;;) {
    switch (step.kind) {
      case SubmitStep::Kind::kPublish: {
        auto ack = co_await context.bus.publish(publication);
        step = submission.answered(std::move(ack), context.clock.monotonic());
        break;
      }
      case SubmitStep::Kind::kPause:
        co_await loop::pause(step.delay);
        step = submission.resumed(context.clock.monotonic());
        break;
      case SubmitStep::Kind::kAccepted:
        if (proto::waits_for_approval(call.request)) {
          co_await request_approval(context, call);
          context.waiting.held(call.request, std::move(counted));
        } else {
          context.queues.accepted(call.request, place, step.sequence, std::move(counted));
        }
        context.accepted_here.note(*CallId::parse(call.request.call_id()),
                                   step.sequence);  // which this gateway made
        context.counters.accepted(call.request);
        co_return wire::HttpResult<void>();
      case SubmitStep::Kind::kRefused:
        co_return wire::refuse(admission::refused_by_stream(std::move(*step.error)));
      case SubmitStep::Kind::kUnknown:
        co_return wire::refuse(
            accept_unknown(call.request,
                           "the call was sent, but the bus did not confirm that it was stored: "
                           "look up its call_id before sending it again"));
    }
  }
}

}  // namespace

wire::Problem accept_unknown(const v1::CallRequest& call, std::string why) {
  wire::Problem problem{.error = Error{ErrorCode::kAcceptUnknown, std::move(why)}};
  problem.call_id = call.call_id();
  return problem;
}

loop::Task<wire::HttpResult<void>> submit(const SubmitContext& context, const PlannedCall& call,
                                          admission::WaitingPlacePtr counted) {
  CO_ASSIGN_OR_RETURN(const auto place, context.queues.admit(call.request));
  // A call noted earlier may be of a version that is gone: its spec was stored then.
  if (call.tool && call.tool->digest == call.request.spec_digest()) {
    CO_RETURN_IF_ERROR(co_await context.specs.put(*call.tool));
  }
  const bus::Publication publication = call_publication(call.request, place.lane, place.partition);
  const WallTime begun = context.clock.wall();
  auto stored = co_await publish(context, call, place, publication, std::move(counted));
  if (call.trace.sampled() && context.tracer.records()) {
    context.tracer.end(call.trace.span(
        call.request,
        {.place = place,
         .message_id = publication.message_id,
         .begun = begun,
         .ended = context.clock.wall(),
         .error_type = stored ? "" : std::string(code_name(stored.error().error.code))}));
  }
  co_return stored;
}

}  // namespace toolway::gateway::calls
