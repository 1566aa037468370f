#include "workers/call/call_chain.h"

#include <algorithm>
#include <iterator>

#include "extensions/principal_message.h"
#include "tools/schema/secret_places.h"
#include "workers/call/refused.h"
#include "workers/call/result_services.h"

namespace toolway::workers::call {
namespace {

using extensions::chain::ChainMetrics;
using tools::model::Execution;

constexpr std::string_view kExtension = "http";

std::vector<std::string> secret_places_of(const v1::CallRequest& request) {
  return {request.secret_places().begin(), request.secret_places().end()};
}

/// Counts how a service was asked.
void count(ChainMetrics& metrics, const extensions::ServiceAsked& service,
           const AskedResult& asked) {
  metrics.took(kExtension, ChainMetrics::Phase::kAfter, asked.took);
  if (!asked.failure.empty())
    metrics.failed(kExtension, service.on_failure, asked.failure);
  else if (asked.changed && !asked.result)
    metrics.refused(kExtension);
  else
    metrics.allowed(kExtension);
}

}  // namespace

CallChain::CallChain(const std::shared_ptr<WorkerContext>& context, const v1::CallRequest& request,
                     const tools::model::RegisteredTool& tool, const Json& arguments,
                     const ChainLook& look)
    : context_(context),
      request_(request),
      tool_(tool),
      arguments_(arguments),
      policy_(context->policies->in_force()),
      said_(look.policy == policy_ ? look.verdict : nullptr),
      mask_(policy_ ? policy_->policy : nullptr, arguments, secret_places_of(request)) {}

std::optional<Error> CallChain::refusal() {
  if (!policy_) return refused(request_, extensions::chain::judge_without_policy(tool_.spec()));
  const auto said = verdict();
  if (!said) return Error{ErrorCode::kShuttingDown, "its worker has ended"};
  std::ranges::copy_if(said->services, std::back_inserter(services_),
                       &extensions::ServiceAsked::after);
  return refused(request_, *said);
}

/// Null: the worker has ended.
extensions::chain::VerdictPtr CallChain::verdict() const {
  if (said_) return said_;
  // Counting needs the metrics, which may be gone with the worker.
  const threads::GateLock entered(context_->gate);
  if (!entered) return nullptr;
  const auto caller = extensions::principal_of(request_);
  return extensions::chain::judge(
      {.in_force = *policy_, .caller = caller, .tool = tool_, .arguments = &arguments_},
      context_->chain_metrics);
}

CallChain::Shown CallChain::judged(Execution result) const {
  if (!policy_) return {std::move(result)};
  const threads::GateLock entered(context_->gate);
  if (!entered) return {std::move(result)};  // no one is told of it any more
  const auto caller = extensions::principal_of(request_);
  auto made = extensions::chain::judge_result(
      {.in_force = *policy_, .caller = caller, .tool = tool_, .arguments = &arguments_},
      std::move(result), context_->chain_metrics);
  return {std::move(made.result), made.changed};
}

CallChain::Shown CallChain::redacted(Execution result) const {
  auto shown = judged(std::move(result));
  if (tool_.secret_result && shown.result) {
    const auto places = tools::schema::secret_places(tool_.spec().output_schema, *shown.result);
    tools::schema::hide(*shown.result, places);
    shown.changed |= !places.empty();
  }
  if (mask_.empty()) return shown;
  if (shown.result) {
    shown.result = mask_.json(*std::move(shown.result));
  } else {
    auto& error = shown.result.error();
    error.code = mask_.text(std::move(error.code));
    error.message = mask_.text(std::move(error.message));
    error.details = mask_.json(std::move(error.details));
  }
  return shown;
}

CallChain::Shown CallChain::answered(Shown shown, unsigned attempt,
                                     const std::stop_token& stop) const {
  const ResultAsked asked{.desk = context_->options.services,
                          .call = request_,
                          .tool = tool_,
                          .policy = *policy_->policy,
                          .clock = context_->clock,
                          .attempt = attempt};
  for (const auto& service : services_) {
    auto answer = ask_about_result(asked, service, std::move(shown.result), stop);
    {
      const threads::GateLock entered(context_->gate);
      if (entered) count(context_->chain_metrics, service, answer);
    }
    // What a service puts in place of a result is a result like any other.
    if (answer.changed) answer.result = redacted(std::move(answer.result)).result;
    shown = {std::move(answer.result), shown.changed || answer.changed};
    if (!shown.result) break;
  }
  return shown;
}

CallChain::Shown CallChain::shown(Execution result, unsigned attempt, std::stop_token stop) {
  auto shown = redacted(std::move(result));
  if (services_.empty()) return shown;
  return answered(std::move(shown), attempt, stop);
}

}  // namespace toolway::workers::call
