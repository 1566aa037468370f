#pragma once

#include <chrono>
#include <string_view>

#include "gateway/wire/problem.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::gateway::sessions {

/// The body of POST /v1/sessions/{s}/close, checked.
struct CloseRequest {
  v1::SessionRecord::Closing pending = v1::SessionRecord::CLOSING_WAIT;
  std::chrono::milliseconds timeout{30000};  ///< for the calls in progress; 1 to 300,000
};

/// An empty body is `{}`. Errors: malformed_json, invalid_request.
wire::HttpResult<CloseRequest> parse_close_request(std::string_view body);

}  // namespace toolway::gateway::sessions
