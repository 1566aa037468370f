#include "gateway/mcp/rpc_span.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "gateway/mcp/rpc_metrics.h"
#include "mcp/fields.h"
#include "monitoring/spans.h"

namespace toolway::gateway::mcp {
namespace {

/// What a client says that it is part of; of no trace: it says nothing.
TraceContext trace_in(const RpcRequest& request) {
  const auto* meta = toolway::mcp::member(request.request.params, "_meta");
  if (meta == nullptr || !meta->is_object()) return {};
  return parse_trace_context(toolway::mcp::short_text(*meta, "traceparent"),
                             toolway::mcp::short_text(*meta, "tracestate", 512));
}

/// Names are shown that may be a tool's: what a client writes there may be anything.
bool is_shown(std::string_view name) {
  constexpr std::size_t kMaxLength = 128;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxLength && std::ranges::all_of(name, plain);
}

}  // namespace

RpcSpan::RpcSpan(monitoring::Tracer& tracer, const Clock& clock, const wire::RoutedRequest& routed,
                 const RpcRequest& request)
    : tracer_(tracer), clock_(clock), routed_(routed) {
  if (request.request.method != "tools/call") return;
  const auto said = trace_in(request);
  const auto& asked = routed.request.trace;
  const auto& parent = said.valid() ? said : asked;
  if (!parent.valid()) return;
  auto context = monitoring::start_below(tracer, parent);
  request_ = routed.request;
  request_->trace = context;
  below_.emplace(wire::RoutedRequest{.request = *request_,
                                     .target = routed.target,
                                     .caller = routed.caller,
                                     .id = routed.id,
                                     .grants = routed.grants,
                                     .acting = routed.acting});
  if (!parent.sampled || !tracer.records()) return;
  span_ = call_span(request);
  span_->context = std::move(context);
  span_->parent = parent;
  if (said.valid()) span_->link = asked;
  span_->start = clock.wall();
}

void RpcSpan::answered(toolway::mcp::Revision revision,
                       const wire::HttpResult<wire::Response>& response) {
  if (!span_) return;
  span_->attributes.push_back(
      {"mcp.protocol.version", std::string(toolway::mcp::revision_name(revision))});
  if (!response)
    span_->error_type = std::string(code_name(response.error().error.code));
  else if (const auto code = error_code_in(response->body))
    span_->error_type = std::to_string(*code);
  span_->end = clock_.wall();
  tracer_.end(*std::exchange(span_, std::nullopt));
}

monitoring::Span call_span(const RpcRequest& request) {
  const auto tool = toolway::mcp::short_text(request.request.params, "name");
  monitoring::Span span;
  span.kind = monitoring::SpanKind::kServer;
  span.name = "tools/call";
  span.attributes = {{"mcp.method.name", std::string("tools/call")},
                     {"gen_ai.operation.name", std::string("execute_tool")}};
  if (is_shown(tool)) {
    span.name += " " + tool;
    span.attributes.push_back({"gen_ai.tool.name", tool});
  }
  return span;
}

}  // namespace toolway::gateway::mcp
