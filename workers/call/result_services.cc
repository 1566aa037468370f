#include "workers/call/result_services.h"

#include <fmt/format.h>

#include "extensions/principal_message.h"

namespace toolway::workers::call {
namespace {

using extensions::ServiceAsked;
using extensions::services::Answer;
using tools::model::Execution;

Result<Answer> answer_of(const ResultAsked& asked, const ServiceAsked& service,
                         const Execution& result, std::stop_token stop) {
  if (!asked.desk) return fail(extensions::services::no_services());
  const auto caller = extensions::principal_of(asked.call);
  return asked.desk->ask(*service.service,
                         {.phase = extensions::services::Phase::kAfter,
                          .rule = service.rule,
                          .call = asked.call,
                          .spec = asked.tool.spec(),
                          .roles = extensions::roles_of(asked.policy, caller),
                          .result = &result,
                          .attempt = asked.attempt},
                         asked.clock.monotonic() + service.service->timeout, std::move(stop));
}

tools::model::ToolError not_shown(const ServiceAsked& service) {
  return Error{ErrorCode::kInternal,
               fmt::format("the tool has run, but rule {} has a service asked about its result, "
                           "which did not say whether it may be shown, so it is not",
                           service.rule)};
}

}  // namespace

AskedResult ask_about_result(const ResultAsked& asked, const ServiceAsked& service,
                             Execution result, std::stop_token stop) {
  const auto begun = asked.clock.monotonic();
  AskedResult made{.result = {}};
  auto answer = answer_of(asked, service, result, std::move(stop));
  auto answered = answer ? extensions::services::answered_result(*answer, asked.tool, result)
                         : Result<Execution>(fail(std::move(answer.error())));
  made.took = asked.clock.monotonic() - begun;
  if (answered) {
    made.changed = answer->refusal || answer->result || !answer->hides.empty();
    made.result = *std::move(answered);
    return made;
  }
  made.failure = fmt::format("rule {}: {}", service.rule, answered.error().message);
  made.changed = service.on_failure == extensions::OnFailure::kClosed;
  made.result = made.changed ? Execution(tl::unexpected(not_shown(service))) : std::move(result);
  return made;
}

}  // namespace toolway::workers::call
