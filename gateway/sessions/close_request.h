#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
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

/// A session closes: what is written to its record. A closed one stays as it is.
struct SessionClosing {
  v1::SessionRecord::Closing how;
  WallTime now{};
  std::vector<std::string> seen{};  ///< its namespaces, as this gateway knew them
  std::string toolset_digest{};     ///< of the tools of `seen`: a session with others keeps its own
  bool operator()(v1::SessionRecord& record) const;
};

}  // namespace toolway::gateway::sessions
