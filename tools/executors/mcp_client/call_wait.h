#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mcp/revision.h"
#include "tools/executors/mcp_client/server_link.h"
#include "tools/executors/mcp_client/waiting_call.h"

namespace toolway::tools::executors::mcp_client {

/// Waits for the end of a call that was sent to a server of `revision`; its reports and questions
/// go where `call` says until then. `reply` sends an answer to a question, on any thread. Nothing:
/// cancelled, or it is `until`.
std::optional<CallEnd> wait_for_end(WaitingCall& waiting, const LinkCall& call,
                                    mcp::Revision revision, MonotonicTime until,
                                    const std::function<void(const mcp::Answer&)>& reply);

/// How often a server may ask for the same request again with its own state, and nothing else.
inline constexpr unsigned kMaxRounds = 10;

/// What came back for `tools/call`, sent once.
struct CallAnswer {
  mcp::Revision revision{};
  tl::expected<Json, mcp::RpcError> result{};
};

/// Carries a call to its end: `send` sends it as it is in `call` by then, and again with the
/// server's state and the answers that it wants first (2026-07-28, basic/patterns/mrtr).
model::ToolResult<mcp::ToolCallResult> carry_to_end(
    const std::string& server, LinkCall& call,
    const std::function<model::ToolResult<CallAnswer>()>& send);

}  // namespace toolway::tools::executors::mcp_client
