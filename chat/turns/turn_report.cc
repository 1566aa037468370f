#include "chat/turns/turn_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "monitoring/spans.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::chat::turns {
namespace {

namespace turn = tools::builtin::turn;

constexpr std::string_view kOtherFinish = "failed";
constexpr std::array<std::string_view, 4> kFinishes{"replied", "cut_off", "refused", "filtered"};
/// What ends a turn without a reply: codes of ours, of providers (`kind_name`), and of gateways.
constexpr std::array<std::string_view, 22> kCodes{
    "max_iterations",      "repeats",           "cancelled",
    "interrupted",         "not_configured",    "conversation_busy",
    "overloaded",          "invalid_arguments", "unauthenticated",
    "unavailable",         "permission_denied", "rate_limited",
    "unknown_model",       "too_long",          "timed_out",
    "bad_reply",           "bus_unavailable",   "store_unavailable",
    "session_closed",      "unknown_session",   "timeout",
    "conversation_changed"};

template <typename Words>
std::string_view one_of(const Words& words, std::string_view word) {
  const auto* const found = std::ranges::find(words, word);
  return found == words.end() ? kOtherFinish : *found;
}

}  // namespace

std::string_view finish_label(const tools::model::Execution& ended) {
  // `refused` says that the model declined.
  if (!ended && ended.error().code == "refused") return "request_refused";
  if (!ended) return one_of(kCodes, ended.error().code);
  const auto finish = ended->find("finish");
  if (finish == ended->end() || !finish->is_string()) return "done";
  return one_of(kFinishes, finish->get_ref<const std::string&>());
}

std::string_view begun_label(std::string_view step, bool alone) {
  if (alone) return "api";
  if (step == turn::kContinue) return "completions";
  if (step == turn::kNew) return "new";
  if (step == turn::kImport) return "import";
  return "message";
}

TurnReport::TurnReport(Telemetry telemetry, const Clock& clock,
                       const tools::model::ToolContext& context, std::string_view begun)
    : telemetry_(telemetry),
      clock_(clock),
      begun_(begun),
      context_(monitoring::start_below(telemetry.tracer, context.trace())) {
  if (!context_.sampled || !telemetry_.tracer.records()) return;
  auto& span = span_.emplace(monitoring::Span{.name = "invoke_agent"});
  span.context = context_;
  span.parent = context.trace();
  span.start = clock_.wall();
  span.attributes = {{"gen_ai.operation.name", "invoke_agent"},
                     {"gen_ai.conversation.id", context.session_id()},
                     {"toolway.call.id", context.call_id()},
                     {"toolway.attempt", static_cast<std::int64_t>(context.attempt())},
                     {"toolway.chat.begun", std::string(begun)}};
}

void TurnReport::retried(std::string_view provider, const providers::Retry& retry) {
  telemetry_.metrics
      .counter(monitoring::kModelRetries, {{"gen_ai_provider_name", provider},
                                           {"error_type", providers::kind_name(retry.why)}})
      .add();
}

void TurnReport::told(std::size_t calls) {
  telemetry_.metrics.counter(monitoring::kCallsTold).add(static_cast<double>(calls));
}

void TurnReport::replied(std::string_view provider, const engine::Reply& reply) {
  telemetry_.metrics.counter(monitoring::kIterations).add(reply.iterations);
  telemetry_.metrics.counter(monitoring::kRequestsCut).add(reply.cut);
  if (!span_) return;
  auto& attributes = span_->attributes;
  attributes.push_back({"gen_ai.provider.name", std::string(provider)});
  attributes.push_back({"toolway.chat.iterations", static_cast<std::int64_t>(reply.iterations)});
  attributes.push_back({"gen_ai.usage.input_tokens", static_cast<std::int64_t>(reply.usage.input)});
  attributes.push_back(
      {"gen_ai.usage.output_tokens", static_cast<std::int64_t>(reply.usage.output)});
}

void TurnReport::ended(const tools::model::Execution& ended) {
  const auto finish = finish_label(ended);
  auto& metrics = telemetry_.metrics;
  metrics.counter(monitoring::kTurns, {{"begun", begun_}, {"finish", finish}}).add();
  if (begun_at_)
    metrics.histogram(monitoring::kTurnTime, "begun", begun_)
        .observe(clock_.monotonic() - *begun_at_, context_);
  if (!span_) return;
  span_->end = clock_.wall();
  span_->attributes.push_back({"toolway.chat.finish", std::string(finish)});
  if (!ended) span_->error_type = finish;
  telemetry_.tracer.end(std::move(*span_));
  span_.reset();
}

}  // namespace toolway::chat::turns
