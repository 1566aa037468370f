#pragma once

#include <functional>
#include <optional>

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

}  // namespace toolway::tools::executors::mcp_client
