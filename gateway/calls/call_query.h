#pragma once

#include <optional>
#include <string>

#include "gateway/wire/target.h"
#include "persistence/store/store_reader.h"

/// What a list of calls is asked for, by the parameters of its request. Pure.
namespace toolway::gateway::calls {

/// `state`: held, queued, running or completed. Errors: invalid_request.
wire::HttpResult<persistence::store::CallState> parse_state(const wire::Target& target);
/// `before`, the `next` of an earlier page. Errors: invalid_cursor.
wire::HttpResult<std::optional<CallId>> parse_before(const wire::Target& target);

struct CallQuery {
  /// Without a user, a tenant, and a session's key, which the caller knows.
  persistence::store::CallFilter filter;
  std::string session;  ///< its id; empty: all sessions
  std::optional<CallId> before;
  std::size_t limit = 0;
};

/// The query of `GET /v1/calls` at `now`. Errors: invalid_request naming the parameter: unknown, of
/// the wrong form, or one that contradicts another; invalid_cursor.
wire::HttpResult<CallQuery> parse_call_query(const wire::Target& target, WallTime now);

}  // namespace toolway::gateway::calls
