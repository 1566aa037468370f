#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/executors/http/http_config.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::http {

/// A request, and what must not be shown of it.
struct BuiltRequest {
  tools::http::HttpRequest request;
  std::vector<std::string> secrets;  ///< values that it holds
};

/// What a call of a tool asks of a server. Pure except for `secret`. Sets method, URL, headers and
/// body. Errors: secret_missing, invalid_arguments.
model::ToolResult<BuiltRequest> build_request(
    const HttpConfig& config, const Json& arguments, const std::string& idempotency_key,
    const std::function<std::optional<std::string>(const std::string&)>& secret);

}  // namespace toolway::tools::executors::http
