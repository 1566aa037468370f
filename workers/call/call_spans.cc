#include "workers/call/call_spans.h"

#include <algorithm>

#include "base/ids.h"
#include "monitoring/spans.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"
#include "proto/subjects.h"
#include "proto/trace.h"

namespace toolway::workers::call {
namespace {

using monitoring::MessageWork;

/// The call belongs to another worker now, or to none: this one has nothing more to say about it.
constexpr std::string_view kGivenBack = "given_back";

/// `error.type` has few values: a tool may put anything into its codes, and what is not a code is
/// `_OTHER`, as the conventions have it.
std::string error_type_of(const AttemptEnd& how) {
  if (how.outcome == v1::OUTCOME_SUCCEEDED) return {};
  const std::string& code = how.error_code;
  constexpr std::size_t kMaxErrorType = 64;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  const bool is_code =
      !code.empty() && code.size() <= kMaxErrorType && std::all_of(code.begin(), code.end(), fits);
  return is_code ? code : "_OTHER";
}

}  // namespace

CallSpans::CallSpans(monitoring::Tracer& tracer, const v1::CallRequest& call,
                     std::uint64_t delivery_count, WallTime now)
    : call_(call), records_(tracer.records()) {
  const auto sent_from = proto::trace_of(call.trace());
  delivery_ = monitoring::start_below(tracer, sent_from);
  attempt_ = monitoring::start_below(tracer, delivery_);
  if (!recorded()) return;
  publication_ = monitoring::start_below(tracer, attempt_);
  auto& span =
      begin(delivery_span_, monitoring::message_span(MessageWork::kProcess, "call." + call.pool()),
            delivery_, sent_from, now);
  if (const auto id = CallId::parse(call.call_id())) {
    span.attributes.push_back(
        {"messaging.message.id", proto::call_message_id(*id, call.publication())});
  }
  span.attributes.push_back({"toolway.call.id", call.call_id()});
  span.attributes.push_back({"toolway.delivery_count", static_cast<std::int64_t>(delivery_count)});
}

monitoring::Span& CallSpans::begin(std::optional<StartedSpan>& which, monitoring::Span span,
                                   const TraceContext& context, const TraceContext& parent,
                                   WallTime now) const {
  span.context = context;
  span.parent = parent;
  span.start = now;
  which = StartedSpan{std::move(span)};
  return which->span;
}

void CallSpans::end(std::optional<StartedSpan>& which, std::string_view error_type, WallTime now,
                    Spans& ended) const {
  if (!which || !which->open) return;
  which->open = false;
  which->span.end = now;
  which->span.error_type = error_type;
  ended.push_back(std::move(which->span));
}

void CallSpans::attempt_began(const Attempt& attempt, WallTime now) {
  if (!recorded()) return;
  const auto& labels = call_.labels();
  monitoring::Span span{.name = "execute_tool " + proto::qualified_name(labels)};
  span.attributes = {{"gen_ai.operation.name", "execute_tool"},
                     {"gen_ai.tool.name", proto::qualified_name(labels)},
                     {"gen_ai.tool.type", "function"},
                     {"gen_ai.tool.call.id",
                      labels.tool_call_id().empty() ? call_.call_id() : labels.tool_call_id()},
                     {"gen_ai.conversation.id", call_.session_id()},
                     {"toolway.call.id", call_.call_id()},
                     {"toolway.tool.kind", std::string(attempt.kind)},
                     {"toolway.pool", call_.pool()},
                     {"toolway.worker.id", std::string(attempt.worker_id)},
                     {"toolway.attempt", static_cast<std::int64_t>(attempt.number)}};
  // MCP's conventions use the tool's span, where there is one, and want no second one.
  if (attempt.kind == "mcp") span.attributes.push_back({"mcp.method.name", "tools/call"});
  begin(attempt_span_, std::move(span), attempt_, delivery_, now);
}

void CallSpans::follow(const Orders& orders, WallTime now, Spans& ended) {
  if (orders.attempt_ended) {
    end_attempt(*orders.attempt_ended, now, ended);
    if (orders.attempt_ended->next == AttemptEnd::Next::kCompletion) begin_publication(now);
  }
  if (orders.completed) end_publication(*orders.completed, now, ended);
  if (!orders.released) return;
  end(attempt_span_, kGivenBack, now, ended);
  end(publication_span_, kGivenBack, now, ended);
  end(delivery_span_, {}, now, ended);
}

void CallSpans::end_attempt(const AttemptEnd& how, WallTime now, Spans& ended) {
  if (!attempt_span_ || !attempt_span_->open) return;
  attempt_span_->span.attributes.push_back(
      {"toolway.outcome", std::string(proto::outcome_name(how.outcome))});
  end(attempt_span_, error_type_of(how), now, ended);
}

void CallSpans::begin_publication(WallTime now) {
  if (!recorded() || publication_span_) return;
  // What never began has no span: then the completion follows from the delivery alone.
  const auto& parent = attempt_span_ ? attempt_ : delivery_;
  auto& span =
      begin(publication_span_, monitoring::message_span(MessageWork::kSend, proto::kEventsStream),
            publication_, parent, now);
  span.attributes.push_back({"toolway.call.id", call_.call_id()});
}

void CallSpans::end_publication(v1::Outcome outcome, WallTime now, Spans& ended) {
  if (!publication_span_ || !publication_span_->open) return;
  publication_span_->span.attributes.push_back(
      {"toolway.outcome", std::string(proto::outcome_name(outcome))});
  end(publication_span_, {}, now, ended);
}

}  // namespace toolway::workers::call
