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

/// The body of POST /v1/sessions/{s}/namespaces: sorted, without repeats, never empty; or only "*".
/// Errors: malformed_json, invalid_request.
wire::HttpResult<std::vector<std::string>> parse_added_namespaces(std::string_view body);

/// What a session has once it gains `added`: sorted, without repeats; or only "*".
/// Errors: invalid_request when that is more than a session may have.
wire::HttpResult<std::vector<std::string>> with_namespaces(const v1::SessionRecord& record,
                                                           const std::vector<std::string>& added);

/// A session gains namespaces: what is written when its record is still as it was seen.
struct NamespaceGain {
  const std::vector<std::string>& seen;    ///< its namespaces when `wanted` was computed
  const std::vector<std::string>& wanted;  ///< of `with_namespaces`
  const std::string& toolset_digest;       ///< of the tools of `wanted`
  WallTime now{};
  /// False, and nothing is changed: it has them, was closed, or another writer changed them.
  bool operator()(v1::SessionRecord& record) const;
};

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
