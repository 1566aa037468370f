#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/wire/routed_request.h"
#include "monitoring/tracer.h"

namespace toolway::gateway::mcp {

/// The span of one `tools/call`, from its message to its answer or the head of its stream. It is
/// below what the client says in `_meta` (`traceparent`, `tracestate`), or else below the request's
/// span. What it is given must outlive it.
class RpcSpan {
 public:
  RpcSpan(monitoring::Tracer& tracer, const Clock& clock, const wire::RoutedRequest& routed,
          const RpcRequest& request);
  RpcSpan(const RpcSpan&) = delete;
  RpcSpan& operator=(const RpcSpan&) = delete;

  /// The request, whose trace is this span's: what it begins is below it.
  const wire::RoutedRequest& routed() const { return below_ ? *below_ : routed_; }
  /// Ends it.
  void answered(toolway::mcp::Revision revision, const wire::HttpResult<wire::Response>& response);

 private:
  monitoring::Tracer& tracer_;
  const Clock& clock_;
  const wire::RoutedRequest& routed_;
  std::optional<wire::Request> request_;      ///< with its own trace, where that is another
  std::optional<wire::RoutedRequest> below_;  ///< likewise
  std::optional<monitoring::Span> span_;      ///< nothing: the call is not traced
};

/// What the span says, except its context, parent, link and times. Pure. Rules: OpenTelemetry's
/// conventions for MCP servers.
monitoring::Span call_span(const RpcRequest& request);

}  // namespace toolway::gateway::mcp
