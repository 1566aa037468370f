#pragma once

#include <memory>

#include "tools/executors/mcp_client/server_link.h"
#include "tools/http/http_engine.h"

namespace toolway::tools::executors::mcp_client {

/// A server somewhere else, over streamable HTTP: each call is a request of its own, on the thread
/// that calls; a thread keeps what they share. Errors: kInvalidSpec (addresses, proxy).
Result<std::unique_ptr<ServerLink>> make_http_link(LinkOptions options,
                                                   std::shared_ptr<tools::http::HttpEngine> engine);

}  // namespace toolway::tools::executors::mcp_client
