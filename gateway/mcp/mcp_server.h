#pragma once

#include <functional>

#include "base/seal_keys.h"
#include "gateway/calls/run_calls.h"
#include "gateway/catalogue/tools_view.h"
#include "gateway/live/feed.h"
#include "gateway/mcp/rpc_metrics.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"
#include "tools/specs/offers.h"

/// The Model Context Protocol, for any client: a session's tools over Streamable HTTP, in
/// revisions that begin with a handshake and in those in which each request says it all.
namespace toolway::gateway::mcp {

struct McpContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const calls::PlanContext& plan;
  const calls::RunContext& run;
  const live::FeedSources& feeds;
  const SealKeys& seal_keys;
  const Clock& clock;
  const tools::specs::Offers& offers;
  RpcMetrics& metrics;
  std::size_t max_arguments_bytes = 0;
};

/// The session that a request is about, opened if there is none of that name.
using FindSession = std::function<loop::Task<wire::HttpResult<sessions::SessionPtr>>(
    const wire::RoutedRequest& routed, std::string session_id)>;

/// One message. The session is the one of the path, or the caller's own, `mcp`.
loop::Task<wire::HttpResult<wire::Response>> post_mcp(const McpContext& context,
                                                      const FindSession& find_session,
                                                      const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::mcp
