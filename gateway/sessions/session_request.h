#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/problem.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::gateway::sessions {

/// The body of POST /v1/sessions, checked.
struct SessionRequest {
  std::string session_id;               ///< empty: the gateway makes one
  std::vector<std::string> namespaces;  ///< sorted, without repeats, never empty; or only "*": all
  std::string metadata = "{}";
};

/// Errors: malformed_json, invalid_request, invalid_identifier.
wire::HttpResult<SessionRequest> parse_session_request(std::string_view body);

/// The record of a new session.
v1::SessionRecord new_session(const SessionRequest& request, const wire::Caller& caller,
                              SessionKey key, WallTime now);

/// Whether a client that asks for `namespaces` gets this session as it is.
/// Errors: session_conflict.
wire::HttpResult<void> check_reopen(const v1::SessionRecord& record,
                                    const std::vector<std::string>& namespaces);

/// The members that every form of a session starts with, without the closing brace.
void write_session(wire::ObjectText& object, std::string& out, const v1::SessionRecord& record);

/// The member `warnings`: what the client should know before it uses the session; often empty.
void write_warnings(wire::ObjectText& object, std::string& out,
                    const std::vector<std::string>& warnings);

}  // namespace toolway::gateway::sessions
