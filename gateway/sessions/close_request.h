#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/wire/problem.h"
#include "gateway/wire/target.h"
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

/// What DELETE /v1/sessions/{s} asks for.
struct DeleteRequest {
  bool cancel = false;                       ///< the calls in progress; false: refuse
  std::chrono::milliseconds timeout{30000};  ///< for them to end; 1 to 300,000
};

/// From `?pending=cancel&timeout_ms=`. Errors: invalid_request.
wire::HttpResult<DeleteRequest> parse_delete_request(const wire::Target& target);

/// The session with this key is deleted: of its record its name and key remain. One of the same
/// name with another key stays as it is.
struct SessionDeletion {
  SessionKey key;
  WallTime now{};
  bool operator()(v1::SessionRecord& record) const;
};

}  // namespace toolway::gateway::sessions
