#include "tools/executors/http/http_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/pause.h"
#include "base/try.h"
#include "tools/executors/http/http_answer.h"
#include "tools/http/trace_headers.h"

namespace toolway::tools::executors::http {
namespace {

using Clock = std::chrono::steady_clock;

double random_fraction() {
  static thread_local std::minstd_rand random(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

Result<std::shared_ptr<const model::Tool>> HttpTool::create(
    model::Spec spec, std::shared_ptr<const HttpShared> shared) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidSpec, fmt::format("tool '{}': {}", spec.qualified_name(), what));
  };
  auto config = parse_http_config(spec.implementation, spec.input_schema);
  if (!config) return wrong(config.error().message);
  auto allowed = shared->options.allow_addresses;
  allowed.insert(allowed.end(), config->allow_addresses.begin(), config->allow_addresses.end());
  auto addresses = tools::http::AddressPolicy::create(allowed);
  if (!addresses) return wrong(addresses.error().message);
  return std::make_shared<const HttpTool>(
      std::move(spec), std::move(*config),
      std::make_shared<const tools::http::AddressPolicy>(std::move(*addresses)), std::move(shared));
}

tools::http::HttpRequest HttpTool::complete(tools::http::HttpRequest request) const {
  request.addresses = addresses_;
  request.proxy = config_.proxy ? tools::http::HttpProxy{.url = *config_.proxy, .except = {}}
                                : shared_->options.proxy;
  request.ca_file = shared_->options.ca_file;
  request.limits = config_.limits;
  const auto most = spec_.result.max_bytes;
  request.limits.max_body_bytes =
      config_.limits.max_body_bytes == 0 ? most : std::min(config_.limits.max_body_bytes, most);
  request.redirects = config_.redirects;
  request.redirects.hosts = config_.allowed_hosts;
  if (config_.retries.safe == HttpRetries::Safe::kAlways || spec_.idempotent) {
    request.replay = tools::http::HttpRequest::Replay::kAllowed;
  }
  return request;
}

model::Execution HttpTool::execute(const Json& arguments, model::ToolContext& context,
                                   model::Progress& progress) const {
  const auto began = Clock::now();
  ASSIGN_OR_RETURN(auto built,
                   build_request(config_, arguments, context.idempotency_key(),
                                 [&](const std::string& name) { return context.secret(name); }));
  tools::http::add_trace(built.request.headers, context.trace());
  const templates::Redaction redaction(built.secrets);
  const auto request = complete(std::move(built.request));
  const bool safe =
      idempotent_method(request.method) || spec_.idempotent || !config_.idempotency_header.empty();
  for (unsigned attempt = 1;; ++attempt) {
    HttpAnswer answer(
        {.spec = spec_, .config = config_, .redaction = redaction, .progress = progress});
    const auto end = shared_->engine->run(request, answer, context.cancellation());
    auto ended = answer.conclude(end, std::chrono::system_clock::now());
    if (ended.execution || answer.reported()) return std::move(ended.execution);
    RetryState state{.attempts = attempt, .safe = safe, .random = random_fraction()};
    if (const auto run = context.limits().run; run.count() > 0) {
      state.left =
          std::chrono::duration_cast<std::chrono::milliseconds>(run - (Clock::now() - began));
    }
    const auto delay = next_attempt(config_.retries, ended.failed, state);
    if (!delay) return std::move(ended.execution);
    context.log(model::LogLevel::kInfo,
                fmt::format("attempt {}: {}; next attempt in {} ms", attempt,
                            ended.execution.error().message, delay->count()));
    if (!pause(*delay, context.cancellation()))
      return tl::unexpected(model::ToolError("cancelled", "cancelled"));
  }
}

}  // namespace toolway::tools::executors::http
