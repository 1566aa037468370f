#include "gateway/calls/ask_services.h"

#include <fmt/format.h>

#include "base/try.h"
#include "gateway/calls/admit.h"
#include "proto/approvals.h"
#include "proto/audit.h"

namespace toolway::gateway::calls {
namespace {

using extensions::ServiceAsked;
using extensions::chain::ChainMetrics;
using extensions::services::Answer;
using extensions::services::ServiceDesk;

constexpr std::string_view kExtension = "http";

/// A client may send the call again when a service that was away may be back.
constexpr std::chrono::seconds kTryAgain{5};

Error cannot_say(const ServiceAsked& asked) {
  return {ErrorCode::kTimeout,
          fmt::format("rule {} has a service asked about this call, which did not say whether it "
                      "may run, so it is not accepted: send it again",
                      asked.rule),
          kTryAgain};
}

/// On a thread that may wait; holds all that it uses.
struct Asking {
  std::shared_ptr<ServiceDesk> desk;
  ServiceAsked asked;
  v1::CallRequest call;
  tools::model::RegisteredToolPtr tool;
  std::vector<std::string> roles;
  MonotonicTime due;

  Result<Answer> operator()() const {
    return desk->ask(*asked.service,
                     {.phase = extensions::services::Phase::kBefore,
                      .rule = asked.rule,
                      .call = call,
                      .spec = tool->spec(),
                      .roles = roles},
                     due);
  }
};

loop::Task<Result<Answer>> ask_one(const ServicesContext& context, const ServiceAsked& asked,
                                   const PlannedCall& call) {
  if (!context.desk) co_return fail(extensions::services::no_services());
  Asking asking{.desk = context.desk,
                .asked = asked,
                .call = call.request,
                .tool = call.tool,
                .roles = call.roles,
                .due = context.clock.monotonic() + asked.service->timeout};
  co_return co_await context.threads.run<Answer>(std::move(asking));
}

void count(ChainMetrics& metrics, const Answer& answer) {
  if (answer.refusal)
    metrics.refused(kExtension);
  else if (answer.hold)
    metrics.held(kExtension);
  else
    metrics.allowed(kExtension);
}

}  // namespace

void obey_answer(const Answer& answer, const std::string& rule, PlannedCall& call) {
  auto& request = call.request;
  extensions::services::lower_limits(*request.mutable_limits(), answer.limits);
  if (!answer.pool.empty()) request.set_pool(answer.pool);
  // The first that holds says how; who decides must know of the pool.
  if (answer.hold && !request.has_hold())
    hold_call(request, {.hold = answer.hold, .held_because = rule});
  if (request.has_hold())
    call.approval_digest = proto::approval_digest(
        request, proto::arguments_digest(proto::admission_of(request.admission())));
}

loop::Task<wire::HttpResult<void>> ask_services(const ServicesContext& context, PlannedCall& call) {
  for (const auto& asked : std::exchange(call.services, {})) {
    const auto begun = context.clock.monotonic();
    auto answer = co_await ask_one(context, asked, call);
    context.metrics.took(kExtension, ChainMetrics::Phase::kBefore,
                         context.clock.monotonic() - begun);
    if (!answer) {
      context.metrics.failed(kExtension, asked.on_failure,
                             fmt::format("rule {}: {}", asked.rule, answer.error().message));
      if (asked.on_failure == extensions::OnFailure::kOpen) continue;
      co_return wire::refuse(cannot_say(asked));
    }
    count(context.metrics, *answer);
    if (answer->refusal) co_return wire::refuse(std::move(*answer->refusal));
    obey_answer(*answer, asked.rule, call);
  }
  co_return wire::HttpResult<void>();
}

}  // namespace toolway::gateway::calls
