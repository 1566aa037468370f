#include "gateway/calls/run_calls.h"

#include "base/log.h"
#include "base/sha256.h"
#include "base/try.h"
#include "extensions/redaction/mask.h"
#include "gateway/calls/admit.h"
#include "gateway/calls/call_records.h"
#include "gateway/calls/check_arguments.h"
#include "proto/approvals.h"
#include "tools/schema/secret_places.h"

namespace toolway::gateway::calls {
namespace {

using Violations = std::vector<tools::schema::Violation>;

/// Without what the policy's patterns match: a violation may quote a part of it, which they do not
/// match any more.
loop::Task<Result<Violations>> masked(const PlanContext& plan,
                                      extensions::chain::PolicyInForcePtr policy,
                                      const CallBody& body, Violations violations) {
  if (!policy || policy->policy->patterns.empty()) co_return violations;
  auto work = [policy = policy->policy, text = body.arguments_text,
               violations = std::move(violations)]() mutable -> Result<Violations> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    tools::schema::hide(violations, extensions::redaction::matched_places(*policy, arguments));
    const extensions::redaction::Mask mask(policy, {}, {});
    for (auto& violation : violations) {
      violation.place = mask.text(std::move(violation.place));
      violation.message = mask.text(std::move(violation.message));
    }
    return std::move(violations);
  };
  co_return co_await plan.checks.run<Violations>(std::move(work));
}

/// What a client calls its call must not show what patterns hide.
void mask_names(const extensions::chain::PolicyInForcePtr& policy, CallBody& body) {
  if (!policy || policy->policy->patterns.empty()) return;
  const extensions::redaction::Mask mask(policy->policy, {}, {});
  body.tool_call_id = mask.text(std::move(body.tool_call_id));
  body.topic = mask.text(std::move(body.topic));
}

/// Once the tool is known. `context` must last until then.
loop::Task<wire::HttpResult<PlannedCall>> plan_tool(const PlanContext& plan,
                                                    const wire::RoutedRequest& routed,
                                                    const CallContext& context,
                                                    tools::model::RegisteredToolPtr tool,
                                                    CallBody body) {
  CO_ASSIGN_OR_RETURN(auto checked, co_await check_arguments(plan.checks, tool, body));
  const auto policy = plan.policies.in_force();
  if (!checked.violations.empty()) {
    CO_ASSIGN_OR_RETURN(auto shown,
                        co_await masked(plan, policy, body, std::move(checked.violations)));
    co_return wire::refuse(wrong_arguments(std::move(shown)));
  }
  const AdmitContext asked{.policy = policy,
                           .caller = routed.caller,
                           .tool = tool,
                           .threads = plan.checks,
                           .metrics = plan.chain_metrics};
  CO_ASSIGN_OR_RETURN(auto admitted, co_await admit(asked, body));
  mask_names(policy, body);
  const WallTime now = plan.clock.wall();
  auto planned = make_call(context, tool, std::move(body), CallId::make(now), now);
  if (!planned) co_return planned;
  auto& request = planned->request;
  for (auto* places : {&checked.secret_places, &admitted.secret_places})
    for (auto& place : *places) request.mutable_secret_places()->Add(std::move(place));
  planned->limits = std::move(admitted.limits);
  planned->services = std::move(admitted.services);
  planned->roles = std::move(admitted.roles);
  request.set_admission(std::move(admitted.admission));
  if (admitted.hold) {
    hold_call(request, admitted);
    planned->approval_digest =
        proto::approval_digest(request, digest_text(admitted.arguments_sha256));
  }
  if (routed.acting != nullptr) request.set_parent_call_id(routed.acting->turn);
  planned->trace = CallTrace(plan.tracer, routed.request.trace, request);
  co_return planned;
}

loop::Task<wire::HttpResult<PlannedCall>> plan_one(const PlanContext& plan,
                                                   const wire::RoutedRequest& routed,
                                                   const sessions::Session& session,
                                                   CallBody body) {
  const auto registry = plan.registry.now();
  const auto switches = plan.switches.now();
  const CallContext context{.registry = *registry,
                            .switches = *switches,
                            .session = session.record,
                            .namespaces = session.namespaces,
                            .caller = routed.caller,
                            .grants = routed.grants};
  auto found = find_tool(context, body.tool);
  if (!found && found.error().error.code == ErrorCode::kPermissionDenied)
    plan.chain_metrics.refused("permissions");
  CO_RETURN_IF_ERROR(found);
  co_return co_await plan_tool(plan, routed, context, *std::move(found), std::move(body));
}

/// What must be so before a new call may be noted under a key or published: the limits have room
/// for it, and no service refuses it. Limits come first, so that they protect services. Its place
/// among waiting calls; null: no limit counts them.
loop::Task<wire::HttpResult<admission::WaitingPlacePtr>> admit_new(const RunContext& context,
                                                                   PlannedCall& call) {
  admission::WaitingPlacePtr counted;
  if (!call.limits.empty()) {
    CO_ASSIGN_OR_RETURN(counted, co_await context.waiting.take(call.limits, call.request));
    CO_RETURN_IF_ERROR(co_await context.limits.take(call.limits, call.request));
  }
  if (!call.services.empty()) CO_RETURN_IF_ERROR(co_await ask_services(context.services, call));
  co_return std::move(counted);
}

loop::Task<void> run_one(const RunContext& context, CallEntry& entry, loop::Timer& wake,
                         WaitRoom& room) {
  if (entry.makes_nothing) {
    (void)co_await settle(context.keys, entry);
    // It may be on its way to a worker.
    if (!entry.replayed) co_return;
  }
  // Before the key is claimed: what another request finds noted under it may be published.
  auto admitted = co_await admit_new(context, *entry.plan);
  if (!admitted) {
    entry.refused = std::move(admitted.error());
    co_return;
  }
  if (entry.key) {
    if (auto claimed = co_await claim(context.keys, entry); !claimed) {
      entry.refused = std::move(claimed.error());
      co_return;
    }
    if (co_await settle(context.keys, entry) == Settled::kNotSure) {
      entry.refused =
          accept_unknown(entry.plan->request,
                         "whether an earlier request with this Idempotency-Key has made its "
                         "call cannot be found out, because no collector answers: send it again");
      co_return;
    }
  }
  if (entry.waits) entry.wait = CallWait::create(context.waits, entry.plan->request);
  if (entry.wait) {
    auto followed = co_await entry.wait->follow(wake, room);
    if (!followed) {
      entry.refused = wire::bus_problem(std::move(followed.error()));
      co_return;
    }
  }
  if (entry.replayed) {
    if (entry.wait) co_await entry.wait->recall();
    co_return;
  }
  const auto accepted = co_await submit(context.submit, *entry.plan, *std::move(admitted));
  if (entry.key) co_await note(context.keys, entry, accepted);
  if (!accepted) entry.refused = accepted.error();
}

}  // namespace

loop::Task<wire::HttpResult<PlannedCall>> plan_request(const PlanContext& plan,
                                                       const wire::RoutedRequest& routed,
                                                       const sessions::Session& session,
                                                       CallBody body) {
  const std::string tool = logs_records() ? body.tool : std::string();
  auto planned = co_await plan_one(plan, routed, session, std::move(body));
  if (!planned) record_refused(plan.policies, routed, session, tool, planned.error().error);
  co_return planned;
}

loop::Task<wire::HttpResult<PlannedCall>> plan_known_tool(const PlanContext& plan,
                                                          const wire::RoutedRequest& routed,
                                                          const sessions::Session& session,
                                                          tools::model::RegisteredToolPtr tool,
                                                          CallBody body) {
  const auto registry = plan.registry.now();
  const auto switches = plan.switches.now();
  const CallContext context{.registry = *registry,
                            .switches = *switches,
                            .session = session.record,
                            .namespaces = session.namespaces,
                            .caller = routed.caller,
                            .grants = routed.grants};
  const std::string name = logs_records() ? body.tool : std::string();
  auto planned = co_await plan_tool(plan, routed, context, std::move(tool), std::move(body));
  if (!planned) record_refused(plan.policies, routed, session, name, planned.error().error);
  co_return planned;
}

loop::Task<void> run_call(const RunContext& context, CallEntry& entry, loop::Timer& wake,
                          WaitRoom& room) {
  co_await run_one(context, entry, wake, room);
  record_run(context.policies, entry);
}

loop::Task<void> run_calls(const RunContext& context, std::vector<CallEntry>& entries,
                           loop::Timer& wake, WaitRoom& room) {
  std::size_t under_way = 0;
  const loop::Executor executor = co_await asio::this_coro::executor;
  loop::Timer done(executor, loop::Timer::time_point::max());
  for (CallEntry& entry : entries) {
    if (!entry.plan) continue;
    ++under_way;
    auto ended = [&under_way, &done](std::exception_ptr) {
      if (--under_way == 0) done.cancel();
    };
    asio::co_spawn(executor, run_call(context, entry, wake, room), std::move(ended));
  }
  while (under_way > 0) co_await loop::wait_on(done);
}

const wire::Problem* batch_problem(const std::vector<CallEntry>& entries) {
  const wire::Problem* later = nullptr;
  const wire::Problem* share = nullptr;
  bool accepted = false;
  for (const CallEntry& entry : entries) {
    if (!entry.refused) {
      accepted = true;
      continue;
    }
    if (entry.refused->error.code == ErrorCode::kAcceptUnknown) return &*entry.refused;
    const unsigned status = wire::status_of(*entry.refused);
    if (status == 503 && later == nullptr) later = &*entry.refused;
    if (status == 429 && share == nullptr) share = &*entry.refused;
  }
  if (later != nullptr) return later;
  return accepted ? nullptr : share;
}

}  // namespace toolway::gateway::calls
