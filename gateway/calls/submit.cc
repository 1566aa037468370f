#include "gateway/calls/submit.h"

#include "base/try.h"
#include "gateway/calls/publication.h"
#include "gateway/calls/submission.h"

namespace toolway::gateway::calls {
namespace {

wire::Problem accept_unknown(const PlannedCall& call) {
  wire::Problem problem{.error = Error{ErrorCode::kAcceptUnknown,
                                       "the call was sent, but the bus did not confirm that it was "
                                       "stored: look up its call_id before sending it again"}};
  problem.call_id = call.request.call_id();
  return problem;
}

/// Carries a `Submission` to its end.
loop::Task<wire::HttpResult<void>> publish(const SubmitContext& context, const PlannedCall& call,
                                           admission::QueuePlace place,
                                           const bus::Publication& publication) {
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
        context.queues.accepted(call.request, place, step.sequence);
        context.accepted_here.note(*CallId::parse(call.request.call_id()),
                                   step.sequence);  // which this gateway made
        context.counters.accepted(call.request);
        co_return wire::HttpResult<void>();
      case SubmitStep::Kind::kRefused:
        co_return wire::refuse(admission::refused_by_stream(std::move(*step.error)));
      case SubmitStep::Kind::kUnknown: co_return wire::refuse(accept_unknown(call));
    }
  }
}

}  // namespace

loop::Task<wire::HttpResult<void>> submit(const SubmitContext& context, const PlannedCall& call) {
  CO_ASSIGN_OR_RETURN(const auto place, context.queues.admit(call.request));
  // A call noted earlier may be of a version that is gone: its spec was stored then.
  if (call.tool && call.tool->digest == call.request.spec_digest()) {
    CO_RETURN_IF_ERROR(co_await context.specs.put(*call.tool));
  }
  const bus::Publication publication = call_publication(call.request, place.lane, place.partition);
  const WallTime begun = context.clock.wall();
  auto stored = co_await publish(context, call, place, publication);
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
