#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/wire/request_body.h"
#include "tools/model/spec.h"

namespace toolway::gateway::calls {

/// A call as the client asks for it: well formed, but not yet checked against any tool.
struct CallBody {
  std::string tool;
  Json arguments;              ///< an object; null when only its text is kept
  std::string arguments_text;  ///< the same, byte for byte as sent
  std::string tool_call_id;
  std::string topic;
  tools::model::Limits limits;  ///< zero: not given
};

inline constexpr std::size_t kMaxBatchCalls = 100;

/// Reads POST …/calls. Errors: invalid_request, payload_too_large (arguments of more than
/// `max_arguments_bytes`).
wire::HttpResult<CallBody> parse_call(wire::ParsedBody body, std::size_t max_arguments_bytes);

/// Reads POST …/calls:batch. One invalid entry does not fail the others.
wire::HttpResult<std::vector<wire::HttpResult<CallBody>>> parse_batch(
    wire::ParsedBody body, std::size_t max_arguments_bytes);

}  // namespace toolway::gateway::calls
