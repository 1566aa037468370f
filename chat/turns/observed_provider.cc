#include "chat/turns/observed_provider.h"

#include <optional>
#include <utility>

#include "monitoring/spans.h"

namespace toolway::chat::turns {
namespace {

using monitoring::Label;
using monitoring::Span;
using providers::ModelRequest;
using providers::OnText;
using providers::ReplyResult;

constexpr std::string_view kOperation = "chat";

class ObservedProvider final : public providers::Provider {
 public:
  ObservedProvider(std::shared_ptr<providers::Provider> provider, ProviderObserver observer)
      : provider_(std::move(provider)),
        observer_(std::move(observer)),
        name_(provider_name(*provider_)) {}

  const std::string& id() const override { return provider_->id(); }
  tools::exports::ModelApi api() const override { return provider_->api(); }
  tools::messages::Blocks blocks_for(const std::string& model) const override {
    return provider_->blocks_for(model);
  }

  ReplyResult ask(const ModelRequest& request, const OnText& on_text,
                  std::stop_token stop) override {
    auto span = begin(request);
    const auto begun = observer_.clock.monotonic();
    bool said = false;
    auto reply = provider_->ask(
        request,
        [&](std::string_view text) {
          if (!std::exchange(said, true))
            observer_.metrics.histogram(monitoring::kFirstText, "gen_ai_provider_name", name_)
                .observe(observer_.clock.monotonic() - begun);
          on_text(text);
        },
        std::move(stop));
    count(request.options.model, reply, observer_.clock.monotonic() - begun);
    if (span) end(std::move(*span), reply);
    return reply;
  }

 private:
  void count(std::string_view model, const ReplyResult& reply,
             std::chrono::duration<double> took) const {
    auto& metrics = observer_.metrics;
    const Label operation{"gen_ai_operation_name", kOperation};
    const Label provider{"gen_ai_provider_name", name_};
    const Label named{"gen_ai_request_model", model};
    if (!reply) {
      const Label error{"error_type", providers::kind_name(reply.error().kind)};
      metrics.histogram(monitoring::kModelRequest, {operation, provider, named, error})
          .observe(took);
      return;
    }
    metrics.histogram(monitoring::kModelRequest, {operation, provider, named}).observe(took);
    if (!reply->usage) return;
    const auto tokens = [&](std::string_view type, std::uint64_t amount) {
      metrics
          .tokens(monitoring::kModelTokens,
                  {operation, provider, named, {"gen_ai_token_type", type}})
          .observe(static_cast<double>(amount));
    };
    tokens("input", reply->usage->input);
    tokens("output", reply->usage->output);
  }

  std::optional<Span> begin(const ModelRequest& request) const {
    const auto context = monitoring::start_below(observer_.tracer, observer_.parent);
    if (!context.sampled || !observer_.tracer.records()) return std::nullopt;
    const auto& model = request.options.model;
    Span span{.name = std::string(kOperation) + (model.empty() ? "" : " " + model),
              .kind = monitoring::SpanKind::kClient};
    span.context = context;
    span.parent = observer_.parent;
    span.start = observer_.clock.wall();
    span.attributes = {
        {"gen_ai.operation.name", std::string(kOperation)},
        {"gen_ai.provider.name", std::string(name_)},
        {"gen_ai.request.model", model},
        {"gen_ai.request.max_tokens", static_cast<std::int64_t>(request.options.max_tokens)}};
    return span;
  }

  void end(Span span, const ReplyResult& reply) const {
    span.end = observer_.clock.wall();
    if (!reply) {
      span.error_type = providers::kind_name(reply.error().kind);
    } else {
      span.attributes.push_back({"gen_ai.response.model", reply->model});
      span.attributes.push_back(
          {"toolway.chat.finish", std::string(tools::messages::finish_name(reply->finish))});
      if (reply->usage) {
        span.attributes.push_back(
            {"gen_ai.usage.input_tokens", static_cast<std::int64_t>(reply->usage->input)});
        span.attributes.push_back(
            {"gen_ai.usage.output_tokens", static_cast<std::int64_t>(reply->usage->output)});
      }
    }
    observer_.tracer.end(std::move(span));
  }

  const std::shared_ptr<providers::Provider> provider_;
  const ProviderObserver observer_;
  const std::string_view name_;
};

}  // namespace

std::string_view provider_name(const providers::Provider& provider) {
  if (provider.id() == "scripted") return "scripted";
  return provider.api() == tools::exports::ModelApi::kAnthropic ? "anthropic" : "openai";
}

std::unique_ptr<providers::Provider> observed(std::shared_ptr<providers::Provider> provider,
                                              const ProviderObserver& observer) {
  return std::make_unique<ObservedProvider>(std::move(provider), observer);
}

}  // namespace toolway::chat::turns
