#include "gateway/calls/decide.h"

#include "base/try.h"
#include "gateway/calls/call_records.h"
#include "gateway/calls/publish_again.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::calls {
namespace {

std::string_view state_name(Decided::State state) {
  switch (state) {
    case Decided::State::kWaiting: return "waiting";
    case Decided::State::kApproved: return "approved";
    case Decided::State::kDenied: return "denied";
  }
  return "";
}

/// The tool of a call in the version that admitted it; null: it is not offered any more.
tools::model::RegisteredToolPtr admitting_tool(const tools::model::LiveRegistry& live,
                                               const v1::CallRequest& request) {
  const auto registry = live.now();
  const auto& labels = request.labels();
  auto stable = registry->find(labels.namespace_(), labels.tool());
  if (stable && stable->digest == request.spec_digest()) return stable;
  const auto* candidate = registry->candidate_of(labels.namespace_(), labels.tool());
  if (candidate != nullptr && candidate->tool->digest == request.spec_digest())
    return candidate->tool;
  return nullptr;
}

Decided shown(const v1::CallRequest& request, const std::optional<v1::CallEvent>& last,
              const v1::Vote& vote) {
  Decided decided{.call_id = request.call_id(), .quorum = request.hold().quorum()};
  if (!vote.approve()) {
    decided.state = Decided::State::kDenied;
  } else if (!last || !last->has_approval_decided()) {
    decided.state = Decided::State::kApproved;  // it runs, or has ended, by now
    decided.approvals = decided.quorum;
  } else {
    decided.state = last->approved().empty() ? Decided::State::kWaiting : Decided::State::kApproved;
    decided.approvals = proto::approvals_of(last->approval_decided());
  }
  return decided;
}

}  // namespace

std::string decided_json(const Decided& decided) {
  std::string out;
  wire::ObjectText object(out);
  object.text("call_id", decided.call_id);
  object.text("state", state_name(decided.state));
  object.number("approvals", decided.approvals);
  object.number("quorum", decided.quorum);
  object.end();
  return out;
}

loop::Task<wire::HttpResult<Decided>> decide(const DecideContext& context, v1::CallRequest request,
                                             v1::Vote vote) {
  CO_ASSIGN_OR_RETURN(const auto arguments, parse_json(request.arguments()));
  ToDecide decision{
      .request = request,
      .digest = proto::approval_digest(request, tools::matching::arguments_digest(arguments)),
      .vote = vote};
  admission::QueuePlace place;
  if (vote.approve()) {
    // What prevents it is found before anything is decided.
    const auto tool = admitting_tool(context.registry, request);
    if (tool) {
      CO_ASSIGN_OR_RETURN(place, context.queues.admit(request));
      CO_RETURN_IF_ERROR(co_await context.specs.put(*tool));
    } else {
      decision.spec = SpecNow::kChanged;
    }
  }
  auto edit = deciding(std::move(decision), context.log.clock.monotonic() + LogEdit::kTimeLimit);
  CO_ASSIGN_OR_RETURN(const auto done, co_await edit_log(context.log, edit));
  const bool approved = done.last && done.last->has_approval_decided() && vote.approve() &&
                        !done.last->approved().empty();
  if (approved) {
    auto released = proto::released(request, *done.last);
    co_await publish_again(context.log.bus, context.queues, std::move(released), place,
                           "was approved");
  }
  auto decided = shown(request, done.last, vote);
  record_decided(request, vote, state_name(decided.state));
  co_return decided;
}

}  // namespace toolway::gateway::calls
