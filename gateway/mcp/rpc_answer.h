#pragma once

#include <string>
#include <utility>

#include "gateway/mcp/rpc_request.h"
#include "gateway/wire/http_types.h"

namespace toolway::gateway::mcp {

/// One message as the whole answer to a request.
inline wire::Response json_response(std::string body, unsigned status = 200) {
  return {.status = status, .body = std::move(body)};
}

inline wire::Response failed(const RpcFailure& failure) {
  return json_response(failure_text(failure), failure.status);
}

}  // namespace toolway::gateway::mcp
